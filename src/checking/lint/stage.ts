import {
  AuthError,
  ClientError,
  type EnvironmentClient,
  HttpError,
  INVALID_REWARD,
  type Session,
  TimedOut,
  ToolCallError,
} from '../../client/index.ts';
import { textOf } from '../../protocol/index.ts';
import { firstReading, type MadeCall, type SampledEpisode, type SampledOutcome } from './sample.ts';
import type { SampleOptions } from './take-sample.ts';

interface Current {
  readonly session: Session;
  readonly episode: SampledEpisode;
}

/** Where calls are made: one episode after the other, and a list of what came of them. */
export class Stage implements AsyncDisposable {
  readonly calls: MadeCall[] = [];
  readonly #environment: EnvironmentClient;
  readonly #episodes: readonly SampledEpisode[];
  readonly #options: SampleOptions;
  /** Tools that have kept their caller waiting: once is enough to know, and costs enough. */
  readonly #silent = new Set<string>();
  #next = 0;
  #current: Current | undefined;

  constructor(environment: EnvironmentClient, episodes: readonly SampledEpisode[], options: SampleOptions) {
    this.#environment = environment;
    this.#episodes = episodes;
    this.#options = options;
  }

  /** Begins another episode: this one, or the next of the list. */
  async begin(episode: SampledEpisode | undefined = this.#following()): Promise<void> {
    await this.end();
    if (episode === undefined) return;
    const { secrets, signal, timeoutMs } = this.#options;
    const { split, index } = episode;
    const session = await this.#environment.session({ split, index, secrets, signal, timeoutMs });
    this.#current = { episode, session };
  }

  /** Calls a tool where the last call left off; undefined if none has such a tool, or if it hangs. */
  async call({
    tool,
    input,
    purpose,
  }: Pick<MadeCall, 'tool' | 'input' | 'purpose'>): Promise<SampledOutcome | undefined> {
    const current = this.#silent.has(tool) ? undefined : await this.#episodeWith(tool);
    if (current === undefined) return undefined;
    const { session, episode } = current;
    this.#options.tell(`calls ${tool}`);
    const outcome = await this.#outcomeOf(session.call(tool as never, input, { timeoutMs: this.#options.timeoutMs }));
    this.calls.push({ split: episode.split, index: episode.index, tool, input, purpose, outcome });
    if (outcome.kind === 'silent') this.#silent.add(tool);
    // What follows a crash or an end says nothing about the tool, except for a call that is repeated on purpose.
    const isOver = outcome.kind === 'result' ? outcome.finished && purpose !== 'paid' : outcome.kind !== 'refused';
    if (isOver) await this.end();
    return outcome;
  }

  /** Ends the episode. */
  async end(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    // An episode that cannot be ended any more is one that has crashed, which its call has told already.
    await current?.session.close({ timeoutMs: this.#options.timeoutMs }).catch(() => undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }

  async #episodeWith(tool: string): Promise<Current | undefined> {
    for (let tries = 0; tries <= this.#episodes.length; tries += 1) {
      const current = this.#current;
      const tools = current === undefined ? [] : (firstReading(current.episode)?.tools ?? []);
      if (tools.some(({ name }) => name === tool)) return current;
      await this.begin();
    }
    return undefined;
  }

  #following(): SampledEpisode | undefined {
    const episode = this.#episodes[this.#next % this.#episodes.length];
    this.#next += 1;
    return episode;
  }

  async #outcomeOf(calling: ReturnType<Session['call']>): Promise<SampledOutcome> {
    try {
      const { blocks, reward, finished } = await calling;
      const isEmpty = blocks.every(({ type }) => type === 'text') && textOf(blocks).trim() === '';
      return { kind: 'result', reward, finished, isEmpty };
    } catch (thrown) {
      this.#options.signal.throwIfAborted();
      if (thrown instanceof AuthError) throw thrown;
      return { kind: kindOf(thrown), message: this.#options.toMessage((thrown as Error).message) };
    }
  }
}

function kindOf(thrown: unknown): Exclude<SampledOutcome['kind'], 'result'> {
  if (thrown instanceof TimedOut) return 'silent';
  if (thrown instanceof ClientError && thrown.code === INVALID_REWARD) return 'mispaid';
  const isRefusal = thrown instanceof ToolCallError || (thrown instanceof HttpError && (thrown.status ?? 500) < 500);
  return isRefusal ? 'refused' : 'crashed';
}
