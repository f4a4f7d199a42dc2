import { type Driven, drive } from './load/drive.ts';
import type { Plan } from './plan.ts';
import { type BenchResult, toRamp } from './result/result.ts';
import { type Round, toUsage } from './result/round.ts';
import type { BenchServer } from './servers/open.ts';
import type { Lag, UsageReading } from './servers/usage.ts';
import type { Work } from './work/work.ts';

/** A server and what is done to it. */
export interface Entrant {
  readonly server: BenchServer;
  readonly work: Work;
}

/** Who hears how far a run is. */
export interface RunOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (doneMs: number, doing: string) => void;
}

/** Runs all rounds of a plan; when the signal ends it early, gives what there is until then. */
export async function runPlan(plan: Plan, entrants: readonly Entrant[], options: RunOptions): Promise<BenchResult> {
  const contenders = entrants.map((entrant) => ({ ...entrant, rounds: [] as Round[] }));
  const roundMs = plan.warmUpMs + plan.durationMs;
  let done = 0;
  const total = plan.ramp?.length ?? plan.rounds;
  for (let index = 0; index < total && !options.signal.aborted; index += 1) {
    // Who begins changes from round to round: a machine that grows warm, or slow, favours nobody.
    for (const contender of index % 2 === 0 ? contenders : contenders.toReversed()) {
      if (options.signal.aborted) break;
      const name = contenders.length > 1 ? `${contender.server.name}, ` : '';
      const onProgress = (elapsedMs: number, doing: string) =>
        options.onProgress(done * roundMs + Math.min(elapsedMs, roundMs), `${name}${doing}`);
      const round = await runRound(contender, toLoad(plan, index), { ...options, onProgress });
      if (round.seconds > 0) contender.rounds.push(round);
      done += 1;
    }
    if (plan.ramp !== undefined && toRamp(contenders[0]?.rounds ?? [], plan).end !== undefined) break;
  }
  return { plan, contenders, wasInterrupted: options.signal.aborted };
}

type RoundLoad = Pick<Plan, 'connections' | 'rate' | 'warmUpMs' | 'durationMs' | 'timeoutMs' | 'unit'>;

function toLoad(plan: Plan, index: number): RoundLoad {
  const load = plan.ramp?.[index];
  if (load === undefined) return plan;
  return plan.rate === undefined ? { ...plan, connections: load } : { ...plan, rate: load };
}

async function runRound({ server, work }: Entrant, load: RoundLoad, options: RunOptions): Promise<Round> {
  const readings: UsageReading[] = [];
  let lag: Lag | undefined;
  const readUsage = async () => {
    const usage = await server.readUsage();
    if (usage !== undefined) readings.push(usage);
  };
  // What is used is read next to the window: asking for the lag can take a while.
  const onWindow = async (edge: 'begin' | 'end') => {
    if (edge === 'end') await readUsage();
    lag = await server.readLag();
    if (edge === 'begin') await readUsage();
  };
  const driven: Driven = await drive({
    ...load,
    endpoint: work.endpoint,
    createPlayer: work.createPlayer,
    signal: options.signal,
    onWindow,
    onProgress: ({ elapsedMs, completed }) => {
      const measuredMs = elapsedMs - load.warmUpMs;
      const rate = measuredMs > 0 ? `${Math.round((completed * 1000) / measuredMs)} ${load.unit}/s` : 'warming up';
      options.onProgress(elapsedMs, `${describeLoad(load)}: ${rate}`);
    },
  });
  return { ...driven, connections: load.connections, rate: load.rate, usage: toUsage(driven, readings), lag };
}

function describeLoad({ connections, rate }: RoundLoad): string {
  return rate === undefined ? `${connections} connections` : `${rate} a second`;
}
