import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Answer, brief } from '../chaos/events.ts';
import type { History } from '../chaos/history.ts';
import { type DurableCall, type EnvironmentName, type EpisodeClient, playEpisode } from '../durable/episode.ts';
import type { Player } from '../durable/players.ts';

const SCRIPT = fileURLToPath(new URL('official.py', import.meta.url));

/** One of the official packages. */
export type Sdk = 'ors' | 'openreward';

/** What Python says of something that it was asked to do. */
interface Told {
  readonly id: number;
  readonly failure?: string;
  readonly [name: string]: unknown;
}

/** The official Python clients, unmodified, in a process of their own. */
export class OfficialClients implements Disposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, (told: Told) => void>();
  /** Resolves when the packages are loaded. */
  readonly ready: Promise<unknown>;
  #asked = 0;

  /** `python` has their packages; `url` is that of the server. */
  constructor(python: string, url: string) {
    this.#child = spawn(python, [SCRIPT, url], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.ready = new Promise((resolve) => void this.#waiting.set(0, resolve));
    // One that died is noticed because nothing more is answered.
    this.#child.stdin.on('error', () => {});
    createInterface(this.#child.stdout).on('line', (line) => {
      const told = JSON.parse(line) as Told;
      this.#waiting.get(told.id)?.(told);
      this.#waiting.delete(told.id);
    });
  }

  /** A client of one of the packages, for one episode. */
  client(sdk: Sdk, history: History): EpisodeClient {
    return new OfficialClient(sdk, history, (asked) => this.#ask(asked));
  }

  #ask(asked: object): Promise<Told> {
    this.#asked += 1;
    const id = this.#asked;
    this.#child.stdin.write(`${JSON.stringify({ id, ...asked })}\n`);
    return new Promise((resolve) => void this.#waiting.set(id, resolve));
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}

/** Players with both packages. What is lost or fails is told by one kind of error, so they play what is kept and does not fail. */
export function officialPlayers(clients: OfficialClients): Player[] {
  return (['ors', 'openreward'] as const).map((sdk) => ({
    name: sdk,
    play: (stage, episode) => playEpisode({ ...stage, ...KEPT }, episode, clients.client(sdk, stage.history)),
  }));
}

const KEPT = { environments: ['replayed', 'saved'], tools: ['add', 'add', 'pay', 'look'] } as const;

/** One official client. Whatever it throws is a fault: all its episodes are kept, and nothing that it calls fails. */
class OfficialClient implements EpisodeClient {
  readonly #sdk: Sdk;
  readonly #history: History;
  readonly #ask: (asked: object) => Promise<Told>;
  #episode = '';

  constructor(sdk: Sdk, history: History, ask: (asked: object) => Promise<Told>) {
    this.#sdk = sdk;
    this.#history = history;
    this.#ask = ask;
  }

  async create(environment: EnvironmentName, task: { episode: string }): Promise<boolean> {
    this.#episode = task.episode;
    const told = await this.#do('begin', { sdk: this.#sdk, environment, task });
    if (told === undefined) return false;
    this.#history.nameCall(this.#episode, String(told.sid));
    this.#history.tell(this.#episode, { what: 'created' });
    return true;
  }

  async prompt(): Promise<void> {
    const told = await this.#do('prompt', {});
    if (told !== undefined && told.text !== `This is ${this.#episode}.`)
      this.#fault(`it got another prompt: ${told.text}`);
  }

  async call({ token, tool, input }: DurableCall): Promise<void> {
    const sent = { token, tool, ...(input.n === undefined ? {} : { adds: input.n }) };
    await this.#history.call(this.#episode, sent, async (): Promise<Answer> => {
      const told = await this.#do('call', { tool, input });
      if (told === undefined) return { kind: 'unknown', why: 'the client gave up' };
      const { text, reward, finished } = told as unknown as { text: string; reward: number | null; finished: boolean };
      return { kind: 'scored', scored: { text: brief(text), reward, finished } };
    });
  }

  /** They do not know the ids of calls that have ended. */
  async repeat(): Promise<void> {}

  async delete(): Promise<void> {
    if ((await this.#do('end', {})) !== undefined) this.#history.tell(this.#episode, { what: 'deleted' });
  }

  async #do(what: string, how: object): Promise<Told | undefined> {
    const asked = this.#ask({ do: what, episode: this.#episode, ...how });
    const told = await this.#history.within(this.#episode, `${what} of ${this.#sdk}`, asked);
    if (told?.failure !== undefined) this.#fault(`${what} of ${this.#sdk}: ${told.failure}`);
    return told?.failure === undefined ? told : undefined;
  }

  #fault(why: string): void {
    this.#history.tell(this.#episode, { what: 'fault', why });
  }
}
