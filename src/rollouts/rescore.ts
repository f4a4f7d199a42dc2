import {
  type ConnectOptions,
  connect,
  type EnvironmentClient,
  HttpError,
  type Session,
  ToolCallError,
  ToolFailed,
} from '../client/index.ts';
import type { JsonObject, JsonValue } from '../protocol/index.ts';
import { type PlacedDifference, playAgain, readEpisode, type ToldResult } from '../records/index.ts';
import { recordPath } from './folder/run-folder.ts';
import { scoreOf } from './outcome/reward.ts';
import { type CountedLine, RunState, readCounted } from './run-state.ts';
import { runPool } from './schedule/pool.ts';

/** How recorded episodes are scored again. */
export interface RescoreOptions {
  /** The URL of an ORS server. */
  readonly target: string;
  readonly connect?: ConnectOptions | undefined;
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  /** Default: 16. */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Hears of each episode. */
  readonly onEpisode?: ((rescored: RescoredEpisode) => void) | undefined;
}

/** An episode that was scored again. */
export interface RescoredEpisode {
  readonly episode: number;
  readonly index: number;
  readonly repeat: number;
  readonly before: number;
  /** Null if the environment failed. */
  readonly now: number | null;
  /** What differs, call by call. */
  readonly differences: readonly string[];
}

/** What came of scoring again. Nothing of the run is changed. */
export interface Rescore {
  readonly episodes: number;
  readonly differing: number;
  readonly meanBefore: number | null;
  readonly meanNow: number | null;
}

/** Makes the recorded calls of all episodes that count again, in new sessions, and says what differs. */
export async function rescore(folder: string, options: RescoreOptions): Promise<Rescore> {
  const { target, concurrency = 16, signal = new AbortController().signal, onEpisode } = options;
  const state = await RunState.read(folder);
  const environment = connect(target, options.connect).environment(state.run.identity.environment);
  const total = { episodes: 0, differing: 0, before: 0, now: 0, valid: 0 };
  await runPool({
    jobs: readCounted(folder, state),
    concurrency: { limit: concurrency },
    signal,
    async run(line) {
      const rescored = await scoreAgain(folder, line, { environment, state, options, signal });
      total.episodes += 1;
      total.before += rescored.before;
      if (rescored.differences.length > 0) total.differing += 1;
      if (rescored.now !== null) {
        total.valid += 1;
        total.now += rescored.now;
      }
      onEpisode?.(rescored);
    },
  });
  signal.throwIfAborted();
  const { episodes, differing, before, now, valid } = total;
  return {
    episodes,
    differing,
    meanBefore: episodes === 0 ? null : before / episodes,
    meanNow: valid === 0 ? null : now / valid,
  };
}

interface Again {
  readonly environment: EnvironmentClient;
  readonly state: RunState;
  readonly options: RescoreOptions;
  readonly signal: AbortSignal;
}

async function scoreAgain(
  folder: string,
  line: CountedLine,
  { environment, state, options, signal }: Again,
): Promise<RescoredEpisode> {
  const { episode, attempt, index, repeat, split, stop, reward: before } = line;
  const record = await readEpisode(recordPath(folder, episode, attempt));
  const scored = (now: number | null, differences: string[]) => {
    if (now !== null && now !== before) differences.push(`reward ${now}, recorded ${before}`);
    return { episode, index, repeat, before, now, differences };
  };
  const session = await environment.session({ split, index, secrets: options.secrets }).catch((thrown: unknown) => {
    // Only the task is refused; anything else would be so for every episode.
    if (thrown instanceof HttpError && thrown.status === 400 && thrown.code !== 'missing_secrets') return thrown;
    throw thrown;
  });
  if (session instanceof HttpError) return scored(null, [`no session could begin: ${session.message}`]);
  try {
    const { told, differences } = await playAgain(record, {
      prompt: () => session.prompt({ signal }),
      call: ({ tool, input }) => callAgain(session, tool, input, signal),
    });
    const rewards = told.flatMap(({ reward }) => reward ?? []);
    const isWhole = told.every(({ failure }) => failure === undefined || !isEnvironments(failure.reason));
    return scored(isWhole ? scoreOf(stop, rewards, state.run.identity.scoring) : null, differences.map(toText));
  } catch (thrown) {
    signal.throwIfAborted();
    return scored(null, [`the environment failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`]);
  } finally {
    await session.close({ timeoutMs: 30_000 }).catch(() => {}); // How it went is known.
  }
}

async function callAgain(session: Session, tool: string, input: JsonObject, signal: AbortSignal): Promise<ToldResult> {
  try {
    return await session.call(tool, input, { signal });
  } catch (thrown) {
    if (thrown instanceof ToolCallError) return { failure: { reason: thrown.reason, message: thrown.message } };
    if (thrown instanceof ToolFailed) return { failure: { reason: 'broken', message: thrown.message } };
    throw thrown;
  }
}

// As the runner has it: what a tool refuses is the agent's doing, and these are the environment's.
function isEnvironments(reason: string): boolean {
  return reason === 'broken' || reason === 'timeout';
}

function toText({ call, tool, what, recorded, now }: PlacedDifference): string {
  if (what === 'calls') return `the episode finished at call ${now} of ${recorded}`;
  const place = call === 0 ? 'prompt' : `call ${call} (${tool})`;
  if (what === 'finished')
    return `${place}: ${now === true ? 'it finished the episode' : 'it did not finish the episode'}`;
  return `${place}: ${what} ${short(now)}, recorded ${short(recorded)}`;
}

function short(value: JsonValue): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}...` : value);
}
