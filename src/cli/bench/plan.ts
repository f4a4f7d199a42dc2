import { misuse } from '../shared/failure.ts';
import { readSecrets } from '../shared/secrets.ts';
import type { Unit, WorkChoice } from './work/work.ts';

/** The options of `tiltyard bench`, as the command line gives them. */
export interface BenchOptions {
  readonly compare?: string;
  readonly connections?: number;
  readonly rate?: number;
  readonly ramp?: boolean;
  readonly duration?: number;
  readonly warmUp?: number;
  readonly rounds?: number;
  readonly timeout?: number;
  readonly protocol?: string;
  readonly environment?: string;
  readonly split?: string;
  readonly index?: number;
  readonly tool?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly secret?: readonly string[];
  readonly episodes?: boolean;
  readonly steps?: number;
  readonly failBelow?: number;
  readonly html?: string;
  readonly json?: boolean;
}

/** What will be done, with everything decided. */
export interface Plan {
  readonly unit: Unit;
  readonly connections: number;
  readonly rate: number | undefined;
  readonly durationMs: number;
  readonly warmUpMs: number;
  readonly timeoutMs: number;
  /** The loads of each step of a ramp; undefined for a steady load. */
  readonly ramp: readonly number[] | undefined;
  readonly rounds: number;
  /** The most time that the measurements take, over all servers. */
  readonly totalMs: number;
}

// More connections than this are another kind of test, and another kind of client.
const MAX_CONNECTIONS = 10_000;

const MAX_TOTAL_MS = 3_600_000;
const DEFAULT_CONNECTIONS = 16;
const RAMP_CONNECTIONS = 1_024;
const RATE_STEPS = 14;

/** Decides what the options leave open, and refuses what cannot be meant. */
export function toPlan(options: BenchOptions): Plan {
  refuseContradictions(options);
  const isCompared = options.compare !== undefined;
  const { rate, warmUp: warmUpMs = 1_000, timeout: timeoutMs = 10_000 } = options;
  const durationMs = options.duration ?? (isCompared || options.ramp === true ? 3_000 : 10_000);
  const connections =
    options.connections ?? (options.ramp === true && rate === undefined ? RAMP_CONNECTIONS : DEFAULT_CONNECTIONS);
  const rounds = options.rounds ?? (isCompared ? 5 : 1);
  const ramp = options.ramp === true ? toSteps(rate, connections) : undefined;
  const totalMs = (warmUpMs + durationMs) * (ramp?.length ?? rounds) * (isCompared ? 2 : 1);
  if (totalMs > MAX_TOTAL_MS)
    throw misuse(
      `this would take ${Math.round(totalMs / 60_000)} minutes, and at most 60 are allowed. Shorten --duration`,
    );
  return {
    unit: options.episodes === true ? 'episodes' : 'calls',
    connections,
    rate,
    durationMs,
    warmUpMs,
    timeoutMs,
    ramp,
    rounds,
    totalMs,
  };
}

/** What to call, as far as the person has said. */
export function toChoice(options: BenchOptions, plan: Plan, signal: AbortSignal): WorkChoice {
  const { environment, split, index, tool, input, steps = 1 } = options;
  const protocol = toProtocol(options.protocol);
  return {
    protocol,
    environment,
    split,
    index,
    tool,
    input,
    steps,
    secrets: readSecrets(options.secret),
    unit: plan.unit,
    timeoutMs: plan.timeoutMs,
    signal,
  };
}

function toSteps(rate: number | undefined, connections: number): number[] {
  if (rate !== undefined) return Array.from({ length: RATE_STEPS }, (_, step) => rate * 2 ** step);
  const steps: number[] = [];
  for (let load = 1; load < connections; load *= 2) steps.push(load);
  return [...steps, connections];
}

function toProtocol(text: string | undefined): 'ors' | 'oxp' | undefined {
  const lower = text?.toLowerCase();
  if (lower === undefined || lower === 'ors' || lower === 'oxp') return lower;
  throw misuse(`--protocol must be ors or oxp, not '${text}'`);
}

function refuseContradictions(options: BenchOptions): void {
  const { ramp, rounds, compare, connections, steps, episodes, duration, timeout } = options;
  if (ramp === true && compare !== undefined)
    throw misuse('--ramp and --compare cannot be combined: ramp each server on its own');
  if (ramp === true && rounds !== undefined) throw misuse('--ramp runs one round per step: drop --rounds');
  if (steps !== undefined && episodes !== true) throw misuse('--steps needs --episodes');
  if ([connections, rounds, steps, duration, timeout].includes(0))
    throw misuse('--connections, --rounds, --steps, --duration and --timeout must be more than 0');
  if (connections !== undefined && connections > MAX_CONNECTIONS)
    throw misuse(`--connections is limited to ${MAX_CONNECTIONS}; for more, use several machines`);
}
