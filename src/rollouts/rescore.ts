import { join } from 'node:path';
import { type ConnectOptions, connect, type EnvironmentClient, ToolCallError } from '../client/index.ts';
import { textOf } from '../protocol/index.ts';
import { readTrajectory, type Trajectory, type TurnCall } from './exports/trajectory.ts';
import type { EpisodeLine } from './folder/episode-line.ts';
import { readLines } from './folder/line-file.ts';
import { RUN_FILES } from './folder/run-folder.ts';
import { scoreOf } from './outcome/reward.ts';
import { RunState } from './run-state.ts';
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
    jobs: countedLines(folder, state),
    concurrency: { limit: concurrency },
    signal,
    async run(line) {
      const rescored = await playAgain(await readTrajectory(folder, line), { environment, state, options, signal });
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

async function* countedLines(folder: string, state: RunState): AsyncGenerator<EpisodeLine, void> {
  for await (const line of readLines<EpisodeLine>(join(folder, RUN_FILES.episodes)))
    if (line.reward !== null && state.tasks.get(line.index)?.taskHash === line.taskHash) yield line;
}

interface Again {
  readonly environment: EnvironmentClient;
  readonly state: RunState;
  readonly options: RescoreOptions;
  readonly signal: AbortSignal;
}

async function playAgain(
  { line, turns }: Trajectory,
  { environment, state, options, signal }: Again,
): Promise<RescoredEpisode> {
  const { episode, index, repeat, split, stop } = line;
  const rewards: number[] = [];
  const differences: string[] = [];
  let isWhole = true;
  const session = await environment.session({ split, index, secrets: options.secrets });
  try {
    for (const [at, call] of turns.flatMap(({ calls }) => calls).entries()) {
      const made = await callAgain(session, call, signal);
      if (made.reward !== null) rewards.push(made.reward);
      for (const difference of differencesOf(call, made))
        differences.push(`call ${at + 1} (${call.tool}): ${difference}`);
      if (made.failure !== undefined) {
        isWhole = false;
        break;
      }
      if (made.finished) break;
    }
  } finally {
    await session.close({ timeoutMs: 30_000 }).catch(() => {}); // How it went is known.
  }
  const now = isWhole ? scoreOf(stop, rewards, state.run.identity.scoring) : null;
  const before = line.reward ?? 0;
  if (now !== null && now !== before) differences.push(`reward ${now}, recorded ${before}`);
  return { episode, index, repeat, before, now, differences };
}

interface Made {
  readonly text: string;
  readonly reward: number | null;
  readonly finished: boolean;
  /** What the environment failed with. */
  readonly failure?: string;
}

async function callAgain(
  session: Awaited<ReturnType<EnvironmentClient['session']>>,
  { tool, input }: TurnCall,
  signal: AbortSignal,
): Promise<Made> {
  try {
    const { text, reward, finished } = await session.call(tool, input, { signal });
    return { text, reward, finished };
  } catch (thrown) {
    signal.throwIfAborted();
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const made = { text: message, reward: null, finished: false };
    return thrown instanceof ToolCallError && thrown.reason !== 'timeout' ? made : { ...made, failure: message };
  }
}

function differencesOf(call: TurnCall, { text, reward, finished, failure }: Made): string[] {
  if (failure !== undefined) return [`the environment failed: ${failure}`];
  const differences: string[] = [];
  const recorded = textOf(call.blocks);
  if (text !== recorded) differences.push(`text ${short(text)}, recorded ${short(recorded)}`);
  if (reward !== call.reward) differences.push(`reward ${reward}, recorded ${call.reward}`);
  if (finished !== call.finished)
    differences.push(finished ? 'it finished the episode' : 'it did not finish the episode');
  return differences;
}

function short(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}
