// npm run bench: this server, over both protocols, beside the floor that node:http sets: in turns, in one run.

import { type Calls, orsCalls, oxpCalls } from './calls.ts';
import { type BenchServer, startChild } from './child.ts';
import { type Measured, measure } from './load.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const ROUND_MS = Number(process.env.ROUND_MS ?? 3_000);
const WARM_UP_MS = 1_000;

interface Contender {
  readonly name: string;
  readonly server: BenchServer;
  readonly calls: Calls;
  readonly rounds: Round[];
}

interface Round extends Measured {
  /** Processor time of the server for each call. */
  readonly cpuMicros: number;
}

using floor = await startChild('floor');
using tiltyard = await startChild('tiltyard');

for (const connections of [64, 1]) {
  const ors = await orsCalls(tiltyard, connections);
  const contenders: Contender[] = [
    { name: 'node:http', server: floor, calls: ors, rounds: [] },
    { name: 'ORS', server: tiltyard, calls: ors, rounds: [] },
    { name: 'OXP', server: tiltyard, calls: oxpCalls(`${connections}`), rounds: [] },
  ];
  for (const contender of contenders) await run(contender, connections, WARM_UP_MS);
  for (let round = 1; round <= ROUNDS; round += 1) {
    process.stderr.write(`\r${connections} connections: round ${round} of ${ROUNDS} `);
    for (const contender of contenders) contender.rounds.push(await run(contender, connections, ROUND_MS));
  }
  process.stderr.write('\r\x1b[K');
  report(connections, contenders);
}

async function run({ server, calls }: Contender, connections: number, durationMs: number): Promise<Round> {
  const before = await server.cpuMs();
  const measured = await measure({ port: server.port, connections, durationMs, ...calls });
  return { ...measured, cpuMicros: (((await server.cpuMs()) - before) * 1000) / measured.count };
}

function report(connections: number, [first, ...others]: readonly Contender[]): void {
  process.stdout.write(`calls, ${connections} connection${connections === 1 ? '' : 's'}, median of ${ROUNDS} rounds\n`);
  if (first === undefined) return;
  process.stdout.write(`${toLine(first)}\n`);
  for (const other of others) {
    // Round by round, so that what disturbs the machine disturbs both sides of a ratio.
    const ratios = other.rounds.map(({ perSecond }, index) => perSecond / (first.rounds[index]?.perSecond ?? 0));
    const range = `${percent(Math.min(...ratios))} to ${percent(Math.max(...ratios))}`;
    process.stdout.write(`${toLine(other)}   ${percent(median(ratios))} of the floor (${range})\n`);
  }
  process.stdout.write('\n');
}

function toLine({ name, rounds }: Contender): string {
  const of = (pick: (round: Round) => number, digits: number) => median(rounds.map(pick)).toFixed(digits);
  const rate = of((round) => round.perSecond, 0).padStart(7);
  const latency = `p50 ${of((round) => round.p50Ms, 2)} ms   p99 ${of((round) => round.p99Ms, 2)} ms`;
  return `  ${name.padEnd(9)} ${rate} calls/s   ${latency}   ${of((round) => round.cpuMicros, 1)} us of processor`;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(0)} %`;
}
