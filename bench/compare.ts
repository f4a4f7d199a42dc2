import type { BenchServer } from './child.ts';
import { type Measured, measure } from './load.ts';
import type { Next } from './requests.ts';

/** One of those that are measured in turns. */
export interface Contender {
  readonly name: string;
  readonly server: BenchServer;
  readonly next: Next;
}

/** How long, and with how many connections. */
export interface Rounds {
  readonly title: string;
  readonly connections: number;
  /** What is counted: calls, episodes, ... */
  readonly unit: string;
}

/** What the rounds of a contender gave. */
export interface Compared {
  readonly name: string;
  readonly rounds: readonly Measured[];
}

// Many short rounds rather than a few long ones: what disturbs the machine for seconds then spoils few of the ratios.
const ROUNDS = Number(process.env.ROUNDS ?? 15);
const ROUND_MS = Number(process.env.ROUND_MS ?? 1_000);
const WARM_UP_MS = 1_500;

/** Runs contenders in turns, so that what disturbs the machine disturbs all of them, and prints a line for each. */
export async function compare(
  contenders: readonly Contender[],
  { title, connections, unit }: Rounds,
): Promise<Compared[]> {
  const results = contenders.map(({ name }) => ({ name, rounds: [] as Measured[] }));
  for (const contender of contenders) await measure({ ...contender, connections, durationMs: WARM_UP_MS });
  for (let round = 1; round <= ROUNDS; round += 1) {
    // There and back, so that nobody always has the same one before it.
    const turns = [...contenders.entries()];
    for (const [index, contender] of round % 2 === 1 ? turns : turns.reverse()) {
      process.stderr.write(`\r\x1b[K${title}: round ${round} of ${ROUNDS}, ${contender.name}`);
      results[index]?.rounds.push(await measure({ ...contender, connections, durationMs: ROUND_MS }));
    }
  }
  process.stderr.write('\r\x1b[K');
  process.stdout.write(`\n${title}: median of ${ROUNDS} rounds\n`);
  for (const result of results) process.stdout.write(`${toLine(result, unit)}\n`);
  return results;
}

/** The ratio of two contenders, round by round: the median, and between what it varied. */
export function ratioOf(of: Compared, to: Compared, pick: (round: Measured) => number = ({ perSecond }) => perSecond) {
  const ratios = of.rounds.map((round, index) => pick(round) / pick(to.rounds[index] as Measured));
  return { median: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) };
}

/** Processor time rather than speed, for `ratioOf`: it tells what something costs even on a busy machine. */
export function processorTime({ cpuMicros }: Measured): number {
  return cpuMicros;
}

function toLine({ name, rounds }: Compared, unit: string): string {
  const of = (pick: (round: Measured) => number, digits: number) => median(rounds.map(pick)).toFixed(digits);
  const rate = of(({ perSecond }) => perSecond, 0).padStart(7);
  const latency = `p50 ${of(({ p50Ms }) => p50Ms, 2)} ms   p99 ${of(({ p99Ms }) => p99Ms, 2)} ms`;
  return `  ${name.padEnd(16)} ${rate} ${unit}/s   ${latency}   ${of(({ cpuMicros }) => cpuMicros, 1)} us of processor`;
}

/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
