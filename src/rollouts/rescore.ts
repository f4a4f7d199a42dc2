import { setMaxListeners } from 'node:events';
import {
  type ConnectOptions,
  connect,
  credentialsIn,
  type EnvironmentClient,
  HttpError,
  type Session,
  ToolCallError,
  ToolFailed,
} from '../client/index.ts';
import { redactWhole, type Secrets } from '../core/index.ts';
import type { JsonObject, JsonValue } from '../protocol/index.ts';
import { type PlacedDifference, playAgain, readEpisode, type ToldResult } from '../records/index.ts';
import { recordPath } from './folder/run-folder.ts';
import { scoreOf } from './outcome/reward.ts';
import { AttemptEnd, closeSession, openSession } from './play/attempt-end.ts';
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
  /** Those that count both times: neither the environment failed, nor were they left out. */
  readonly valid: number;
  readonly differing: number;
  /** Which share of the episodes is valid. */
  readonly coverage: number;
  /** Over the tasks of the valid episodes, as the mean of a run is; null if there are none. */
  readonly meanBefore: number | null;
  readonly meanNow: number | null;
}

/** Makes the recorded calls of all episodes that count again, in new sessions, and says what differs. */
export async function rescore(folder: string, options: RescoreOptions): Promise<Rescore> {
  const { target, concurrency = 16, onEpisode } = options;
  const signal = AbortSignal.any(options.signal === undefined ? [] : [options.signal]);
  // One for each episode that is open.
  setMaxListeners(0, signal);
  const state = await RunState.read(folder);
  const environment = connect(target, options.connect).environment(state.run.identity.environment);
  const hidden = { ...options.secrets, ...credentialsIn(options.connect) };
  const total = { episodes: 0, valid: 0, differing: 0 };
  const tasks = new Map<number, TaskTotals>();
  await runPool({
    jobs: readCounted(folder, state),
    concurrency: { limit: concurrency },
    signal,
    async run(line) {
      const rescored = await scoreAgain(folder, line, { environment, state, options, hidden, signal });
      total.episodes += 1;
      if (rescored.differences.length > 0) total.differing += 1;
      if (rescored.now !== null) {
        total.valid += 1;
        addTo(tasks, rescored.index, { valid: 1, before: rescored.before, now: rescored.now });
      }
      onEpisode?.(rescored);
    },
  });
  signal.throwIfAborted();
  return {
    ...total,
    coverage: total.episodes === 0 ? 0 : total.valid / total.episodes,
    meanBefore: meanOf(tasks, 'before'),
    meanNow: meanOf(tasks, 'now'),
  };
}

/** What the valid episodes of a task were paid together. */
interface TaskTotals {
  readonly valid: number;
  readonly before: number;
  readonly now: number;
}

function addTo(tasks: Map<number, TaskTotals>, index: number, { valid, before, now }: TaskTotals): void {
  const sum = tasks.get(index) ?? { valid: 0, before: 0, now: 0 };
  tasks.set(index, { valid: sum.valid + valid, before: sum.before + before, now: sum.now + now });
}

function meanOf(tasks: ReadonlyMap<number, TaskTotals>, when: 'before' | 'now'): number | null {
  let sum = 0;
  for (const task of tasks.values()) sum += task[when] / task.valid;
  return tasks.size === 0 ? null : sum / tasks.size;
}

interface Again {
  readonly environment: EnvironmentClient;
  readonly state: RunState;
  readonly options: RescoreOptions;
  /** What nobody is told. */
  readonly hidden: Secrets;
  readonly signal: AbortSignal;
}

async function scoreAgain(
  folder: string,
  line: CountedLine,
  { environment, state, options, hidden, signal }: Again,
): Promise<RescoredEpisode> {
  const { episode, attempt, index, repeat, split, stop, reward: before } = line;
  const record = await readEpisode(recordPath(folder, episode, attempt));
  const scored = (now: number | null, differences: string[]) => {
    if (now !== null && now !== before) differences.push(`reward ${now}, recorded ${before}`);
    return { episode, index, repeat, before, now, differences: differences.map((each) => redactWhole(each, hidden)) };
  };
  using end = new AttemptEnd({ signal, limits: state.run.identity.limits });
  const failed = (thrown: unknown) => {
    signal.throwIfAborted();
    return scored(null, [`the environment failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`]);
  };
  let session: Session;
  try {
    session = await openSession(environment, { split, index, secrets: options.secrets }, end.signal);
  } catch (thrown) {
    if (end.signal.aborted) return failed(thrown);
    // Only the task is refused; anything else would be so for every episode.
    if (!(thrown instanceof HttpError && thrown.status === 400 && thrown.code !== 'missing_secrets')) throw thrown;
    return scored(null, [`no session could begin: ${thrown.message}`]);
  }
  try {
    const { told, differences } = await playAgain(record, {
      prompt: () => session.prompt({ signal: end.signal }),
      call: ({ tool, input }) => callAgain(session, tool, input, end.signal),
      secrets: hidden,
    });
    const rewards = told.flatMap(({ reward }) => reward ?? []);
    const isWhole = told.every(({ failure }) => failure === undefined || !isEnvironments(failure.reason));
    return scored(isWhole ? scoreOf(stop, rewards, state.run.identity.scoring) : null, differences.map(toText));
  } catch (thrown) {
    return failed(thrown);
  } finally {
    await closeSession(session, end.signal).catch(() => {}); // How it went is known.
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
