import { cpuUsage } from 'node:process';
import type { Violation } from '../chaos/model.ts';
import { random } from '../random.ts';
import type { Sabotage } from './sabotage.ts';
import { anySchedule, type Schedule } from './schedule.ts';
import { shrink } from './shrink.ts';
import { Simulator } from './simulate.ts';

/** How much is simulated; schedule by schedule, each with the next seed. */
export interface SimulationOptions {
  /** Of the first schedule. */
  readonly seed: number;
  readonly schedules: number;
  /** What is wrong on purpose, if something is. */
  readonly sabotage?: Sabotage;
  /** Whether to stop at the first schedule that fails. Default: false. */
  readonly stopsEarly?: boolean;
  readonly onProgress?: (done: number) => void;
}

/** A schedule that breaks a rule, made as small as it can be. */
export interface Failure {
  readonly seed: number;
  readonly schedule: Schedule;
  readonly violations: readonly Violation[];
}

/** What came of many schedules. */
export interface Simulation {
  readonly schedules: number;
  readonly failures: readonly Failure[];
  readonly events: number;
  /** Virtual time. */
  readonly hours: number;
  /** How often each kind of fault was in a schedule. */
  readonly faults: ReadonlyMap<string, number>;
  readonly episodes: number;
  /** Of the processor. */
  readonly cpuMs: number;
}

/** How often a failure is made smaller; the others stay as they are. */
const MOST_SHRUNK = 3;
const MS_PER_HOUR = 3_600_000;
const PROGRESS_EVERY = 500;

/** Plays many schedules, and makes those that fail smaller. */
export async function proveSimulation(options: SimulationOptions): Promise<Simulation> {
  const { seed: first, schedules, sabotage, stopsEarly = false, onProgress } = options;
  const simulator = new Simulator(sabotage);
  const before = cpuUsage();
  const failures: Failure[] = [];
  const faults = new Map<string, number>();
  const sums = { events: 0, ms: 0, episodes: 0, schedules: 0 };
  for (let seed = first; seed < first + schedules; seed += 1) {
    const schedule = anySchedule(random(seed));
    const { violations, events, ms } = await simulator.play(seed, schedule);
    sums.schedules += 1;
    sums.events += events;
    sums.ms += ms;
    sums.episodes += schedule.plays.length;
    for (const { kind } of schedule.faults) faults.set(kind, (faults.get(kind) ?? 0) + 1);
    if (violations.length > 0)
      failures.push(
        failures.length < MOST_SHRUNK ? await smallest(simulator, seed, schedule) : { seed, schedule, violations },
      );
    if (stopsEarly && failures.length > 0) break;
    if (sums.schedules % PROGRESS_EVERY === 0) onProgress?.(sums.schedules);
  }
  const { ms, ...counted } = sums;
  const { user, system } = cpuUsage(before);
  return { ...counted, failures, hours: ms / MS_PER_HOUR, faults, cpuMs: (user + system) / 1_000 };
}

/** The smallest schedule that breaks the same rule. */
async function smallest(simulator: Simulator, seed: number, schedule: Schedule): Promise<Failure> {
  const [rule] = (await simulator.play(seed, schedule)).violations.map((violation) => violation.rule);
  const small = await shrink(schedule, async (smaller) => {
    const { violations } = await simulator.play(seed, smaller);
    return violations.some((violation) => violation.rule === rule);
  });
  return { seed, schedule: small, violations: (await simulator.play(seed, small)).violations };
}
