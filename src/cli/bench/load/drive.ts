import { Connection, type Traffic } from './connection.ts';
import type { Endpoint } from './endpoint.ts';
import { inTurns } from './in-turns.ts';
import { Pacer } from './pacer.ts';
import type { LoadProblem } from './problem.ts';
import { type Measurement, Recorder } from './recorder.ts';

/** What one connection does, over and over. */
export interface Player {
  /** Whether a unit can begin; if not, `prepare` is called first. */
  readonly isReady: boolean;
  /** Gets ready for the next unit; its time is not counted. */
  prepare(): Promise<LoadProblem | undefined>;
  /** Does one unit; 'left' if the load ended before it did. */
  play(): Promise<LoadProblem | 'left' | undefined>;
  /** Gives back what the server holds for this player. */
  end(): Promise<void>;
}

/** What a player needs of the load that it is part of. */
export interface Lane {
  readonly connection: Connection;
  /** Counts a part of a unit. */
  readonly recordOperation: (name: string, ms: number) => void;
  /** Whether the load has ended, so that what takes long should be left. */
  readonly isOver: () => boolean;
}

/** A load: closed (each connection goes on when its last unit has ended) or open (units at a fixed rate). */
export interface Load {
  readonly endpoint: Endpoint;
  readonly connections: number;
  /** Units a second, for an open load. */
  readonly rate?: number | undefined;
  readonly warmUpMs: number;
  readonly durationMs: number;
  readonly timeoutMs: number;
  readonly createPlayer: (lane: Lane) => Player;
  /** Ends the load; what was measured until then is given. */
  readonly signal: AbortSignal;
  /** Called when the measurement begins and when it has ended. */
  readonly onWindow?: (edge: 'begin' | 'end') => Promise<void>;
  /** Called from time to time with what has been completed. */
  readonly onProgress?: (progress: Progress) => void;
}

/** How far a load is. */
export interface Progress {
  readonly elapsedMs: number;
  readonly completed: number;
}

/** What a load gave. */
export interface Driven extends Measurement {
  /** Units of an open load that were due and that no connection was free for. */
  readonly unsent: number;
}

// So many connections are opened, or sessions ended, at a time.
const TOGETHER = 128;
const PAUSE_AFTER_FAILURE_MS = 50;
const PROGRESS_MS = 200;
const READ_BYTES = 64 * 1024;

/** Runs a load. Rejects only if nothing could be begun at all. */
export async function drive(load: Load): Promise<Driven> {
  const traffic: Traffic = { sent: 0, received: 0 };
  const readBuffer = Buffer.allocUnsafeSlow(READ_BYTES);
  const recorder = new Recorder(traffic, load.durationMs);
  const state = { isOver: false };
  const lanes = Array.from(
    { length: load.connections },
    (): Lane => ({
      connection: new Connection({ endpoint: load.endpoint, timeoutMs: load.timeoutMs, traffic, readBuffer }),
      recordOperation: (name, ms) => recorder.operation(name, ms),
      isOver: () => state.isOver,
    }),
  );
  const players = lanes.map(load.createPlayer);
  // A request that is under way would hold up the end by as long as the server likes.
  const onAbort = () => {
    state.isOver = true;
    for (const { connection } of lanes) connection.abandon();
  };
  load.signal.addEventListener('abort', onAbort);
  try {
    await prepareAll(players, load.signal);
    const unsent = await run(load, { players, recorder, state });
    return { ...recorder.measurement(), unsent };
  } finally {
    await inTurns(players, TOGETHER, (player) => player.end());
    load.signal.removeEventListener('abort', onAbort);
    for (const { connection } of lanes) connection.close();
  }
}

async function prepareAll(players: readonly Player[], signal: AbortSignal): Promise<void> {
  const problems: LoadProblem[] = [];
  await inTurns(players, TOGETHER, async (player) => {
    const problem = signal.aborted || player.isReady ? undefined : await player.prepare();
    if (problem !== undefined) problems.push(problem);
  });
  const [first] = problems;
  if (first === undefined || problems.length < players.length || signal.aborted) return;
  throw new Error(`no connection got ready (${first.kind}): ${first.detail}`);
}

interface Running {
  readonly players: readonly Player[];
  readonly recorder: Recorder;
  readonly state: { isOver: boolean };
}

/** Lets all players play through the warm-up and the window; gives how many units were due and not begun. */
async function run(load: Load, { players, recorder, state }: Running): Promise<number> {
  const { signal, warmUpMs, durationMs, rate, onProgress, onWindow } = load;
  const begun = performance.now();
  const pacer = rate === undefined ? undefined : new Pacer(rate, begun);
  const work = Promise.all(players.map((player) => repeat(player, { recorder, state, pacer, signal })));
  const report = () => onProgress?.({ elapsedMs: performance.now() - begun, completed: recorder.completed });
  const reporting = setInterval(report, PROGRESS_MS);
  try {
    await elapsed(warmUpMs, signal);
    await onWindow?.('begin');
    pacer?.forgive(performance.now());
    recorder.begin();
    await elapsed(durationMs, signal);
    recorder.close();
    const unsent = pacer?.backlog(performance.now()) ?? 0;
    state.isOver = true;
    pacer?.stop();
    await onWindow?.('end');
    await work;
    return unsent;
  } finally {
    clearInterval(reporting);
    state.isOver = true;
    pacer?.stop();
  }
}

interface Repeating extends Omit<Running, 'players'> {
  readonly pacer: Pacer | undefined;
  readonly signal: AbortSignal;
}

async function repeat(player: Player, { recorder, state, pacer, signal }: Repeating): Promise<void> {
  while (!state.isOver) {
    if (!player.isReady) {
      const problem = await player.prepare();
      if (problem !== undefined) {
        if (!state.isOver) recorder.failure(problem);
        await elapsed(PAUSE_AFTER_FAILURE_MS, signal);
        continue;
      }
    }
    const began = pacer === undefined ? performance.now() : await pacer.take();
    if (began === undefined || state.isOver) return;
    const problem = await player.play();
    // What was cut off by our own end has no result.
    if (signal.aborted || problem === 'left') return;
    recorder.unit(began, problem);
    // A server that is down, or none at all, fails at once: without a pause this would be a busy loop.
    if (problem?.kind === 'connect' || problem?.kind === 'malformed') await elapsed(PAUSE_AFTER_FAILURE_MS, signal);
  }
}

function elapsed(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
