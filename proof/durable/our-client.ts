import { AsyncLocalStorage } from 'node:async_hooks';
import { type Client, ClientError, connect, type Session } from 'tiltyard/client';
import { type Answer, brief } from '../chaos/events.ts';
import { toPost, transmit } from '../chaos/wire.ts';
import { toDurableAnswer, toDurableThrown } from './answers.ts';
import type { DurableCall, EnvironmentName, EpisodeClient, Stage } from './episode.ts';

// Enough for a server that takes long to start again.
const RETRY = { attempts: 3_000, pauseMs: 10, maxPauseMs: 200 };

// Which call a request belongs to: the client makes its id.
const sending = new AsyncLocalStorage<string>();

/** Our own client, over connections that break. */
export class OurClient implements EpisodeClient {
  readonly #stage: Stage;
  #environment: EnvironmentName = 'plain';
  #episode = '';
  #session: Session | undefined;
  #isDeleted = false;
  readonly #ids = new Map<string, string>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async create(environment: EnvironmentName, task: { episode: string }): Promise<boolean> {
    const { history } = this.#stage;
    this.#environment = environment;
    this.#episode = task.episode;
    this.#session = await this.#expect('beginning', this.#client().session({ task }));
    if (this.#session === undefined) return false;
    history.nameCall(this.#episode, this.#session.sid);
    history.tell(this.#episode, { what: 'created' });
    return true;
  }

  async prompt(): Promise<void> {
    const [block] = (await this.#expect('the prompt', this.#begun.prompt())) ?? [];
    if (block?.type === 'text' && block.text !== `This is ${this.#episode}.`)
      this.#fault(`it got another prompt: ${block.text}`);
  }

  async call({ token, tool, input }: DurableCall): Promise<void> {
    const sent = { token, tool, ...(input.n === undefined ? {} : { adds: input.n }) };
    await this.#stage.history.call(this.#episode, sent, async (): Promise<Answer> => {
      try {
        const result = await sending.run(token, () => this.#begun.call(tool, input));
        const { text, reward, finished, outcome } = result;
        return { kind: 'scored', scored: { text: brief(text), reward, finished }, outcome };
      } catch (error) {
        return toDurableThrown(error) ?? this.#surprise(error, `the call ${token}`);
      }
    });
  }

  /** By hand: a client of ours never asks for what it has. */
  async repeat({ token, tool, input }: DurableCall): Promise<void> {
    const id = this.#ids.get(token);
    // One that was refused at once has none.
    if (id === undefined) return;
    const bytes = toPost(`/${this.#environment}/call`, this.#begun.sid, { name: tool, input, task_id: id });
    const sent = { token, tool, ...(input.n === undefined ? {} : { adds: input.n }) };
    await this.#stage.history.call(this.#episode, sent, async () => {
      for (;;) {
        const [wire] = await transmit(this.#stage.port, bytes);
        const answer = toDurableAnswer(wire);
        if (answer !== undefined) return answer;
      }
    });
  }

  async delete(): Promise<void> {
    await this.#expect('closing', this.#begun.close());
    // A client that knows that its session is over asks for nothing more.
    if (this.#isDeleted) this.#stage.history.tell(this.#episode, { what: 'deleted' });
  }

  get #begun(): Session {
    return this.#session as Session;
  }

  #client(): Client {
    return connect(`http://127.0.0.1:${this.#stage.cuttingPort}`, {
      environment: this.#environment,
      apiKey: '',
      pingMs: 15_000,
      silenceMs: 20_000,
      retry: RETRY,
      fetch: async (url, init) => {
        const token = sending.getStore();
        if (token !== undefined) this.#ids.set(token, JSON.parse(String(init?.body)).task_id);
        const response = await fetch(url, init);
        if (response.ok && String(url).endsWith('/delete')) this.#isDeleted = true;
        return response;
      },
    });
  }

  /** What may fail does so only because the episode is lost, or ends with its server, as one does that keeps nothing. */
  async #expect<Value>(what: string, work: Promise<Value>): Promise<Value | undefined> {
    try {
      return await this.#stage.history.within(this.#episode, what, work);
    } catch (error) {
      const answer = toDurableThrown(error);
      const isOver = this.#environment === 'plain' && answer?.outcome === 'cancelled';
      if (answer?.kind !== 'lost' && !isOver) this.#surprise(error, what);
      return undefined;
    }
  }

  #surprise(error: unknown, what: string): Answer {
    const isOurs = error instanceof ClientError;
    this.#fault(`${what} threw ${isOurs ? error.name : 'what is no ClientError'}: ${String((error as Error).stack)}`);
    return { kind: 'unknown', why: 'a surprise' };
  }

  #fault(why: string): void {
    this.#stage.history.tell(this.#episode, { what: 'fault', why });
  }
}
