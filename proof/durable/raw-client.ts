import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '../chaos/events.ts';
import { toPost, transmit, type WireAnswer } from '../chaos/wire.ts';
import { announcedId, toDurableAnswer } from './answers.ts';
import type { DurableCall, EnvironmentName, EpisodeClient, Stage } from './episode.ts';

/** How long somebody tries who does not give up: longer than anything may take, so that it is noticed. */
export const PATIENCE_MS = 70_000;
export const PAUSE_MS = 40;

/** A client that writes to bare sockets. It chooses the ids of its calls, or learns them from the server as the official clients do. */
export class RawClient implements EpisodeClient {
  readonly #stage: Stage;
  readonly #chooses: 'ids' | 'no ids';
  #environment: EnvironmentName = 'plain';
  #episode = '';
  /** Under which id the server has each call. */
  readonly #ids = new Map<string, string>();

  constructor(stage: Stage, chooses: 'ids' | 'no ids') {
    this.#stage = stage;
    this.#chooses = chooses;
  }

  async create(environment: EnvironmentName, task: { episode: string }): Promise<boolean> {
    const { history, random } = this.#stage;
    this.#environment = environment;
    this.#episode = task.episode;
    const body = { env_name: environment, task_spec: task };
    const status = await this.#ask('/create', body);
    if (status !== 200) return this.#fault(`the creation was answered with ${status}`);
    history.tell(this.#episode, { what: 'created' });
    // As if the answer had been lost on its way. One that keeps nothing may have ended meanwhile, and would begin anew.
    const again = random.chance(0.2) && environment !== 'plain' ? await this.#ask('/create', body) : 200;
    return again === 200 || this.#fault(`the repeated creation was answered with ${again}`);
  }

  async prompt(): Promise<void> {
    const path = `/${this.#environment}/prompt`;
    const wire = await this.#untilAnswered('the prompt', toGet(path, this.#episode));
    if (wire?.status === 200 && !wire.body.includes(`This is ${this.#episode}.`))
      this.#fault(`it got another prompt: ${wire.body}`);
    if (wire?.status === 404) this.#fault(`the prompt: ${wire.body}`);
  }

  async call(call: DurableCall): Promise<void> {
    if (this.#chooses === 'ids') this.#ids.set(call.token, call.token);
    await this.repeat(call);
  }

  async repeat(call: DurableCall): Promise<void> {
    const { token, tool, input } = call;
    const sent = { token, tool, ...(input.n === undefined ? {} : { adds: input.n }) };
    await this.#stage.history.call(this.#episode, sent, () => this.#send(call));
  }

  async delete(): Promise<void> {
    const status = await this.#ask('/delete', {});
    if (status === 200) this.#stage.history.tell(this.#episode, { what: 'deleted' });
    // The first answer may have been lost, or the episode.
    else if (status !== 404) this.#fault(`the deletion was answered with ${status}`);
  }

  async #send({ token, tool, input }: DurableCall): Promise<Answer> {
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await pause(PAUSE_MS)) {
      const id = this.#ids.get(token);
      const body = { name: tool, input, ...(id === undefined ? {} : { task_id: id }) };
      const [wire] = await transmit(this.#stage.port, toPost(`/${this.#environment}/call`, this.#episode, body));
      const announced = announcedId(wire);
      if (announced !== undefined) this.#ids.set(token, announced);
      const answer = toDurableAnswer(wire);
      if (answer !== undefined) return answer;
    }
    return { kind: 'unknown', why: 'nobody answered' };
  }

  /** The status of the answer. */
  async #ask(path: string, body: object): Promise<number | undefined> {
    return (await this.#untilAnswered(path, toPost(path, this.#episode, body)))?.status;
  }

  async #untilAnswered(what: string, bytes: Buffer): Promise<WireAnswer | undefined> {
    const { history, port } = this.#stage;
    return history.within(this.#episode, what, untilAnswered(port, bytes));
  }

  #fault(why: string): false {
    this.#stage.history.tell(this.#episode, { what: 'fault', why });
    return false;
  }
}

/** Sends a request until a server answers that is neither starting nor stopping. */
async function untilAnswered(port: number, bytes: Buffer): Promise<WireAnswer | undefined> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await pause(PAUSE_MS)) {
    const [wire] = await transmit(port, bytes);
    if (wire?.isWhole && wire.status !== 503) return wire;
  }
  return undefined;
}

function toGet(path: string, sid: string): Buffer {
  const head = [`GET ${path} HTTP/1.1`, 'Host: localhost', `X-Session-ID: ${sid}`, 'Connection: close'];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n`);
}
