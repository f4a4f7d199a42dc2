// npm run bench: this server beside the floor that node:http sets, in turns, in one run.

import { prepareCalls } from './calls.ts';
import { type BenchServer, startChild } from './child.ts';
import { type Measured, measure } from './load.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const ROUND_MS = Number(process.env.ROUND_MS ?? 3_000);

using floor = await startChild('floor');
using tiltyard = await startChild('tiltyard');

for (const connections of [64, 1]) {
  const requests = await prepareCalls(tiltyard, connections);
  const run = async (server: BenchServer, durationMs: number): Promise<Round> => {
    const before = await server.cpuMs();
    const request = (index: number) => requests[index] ?? '';
    const measured = await measure({ port: server.port, connections, durationMs, request, expect: '"ok":true' });
    return { ...measured, cpuMicros: (((await server.cpuMs()) - before) * 1000) / measured.count };
  };
  for (const server of [floor, tiltyard]) await run(server, 1_000); // warm-up
  const rounds: { floor: Round; tiltyard: Round }[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    process.stderr.write(`\r${connections} connections: round ${round} of ${ROUNDS} `);
    rounds.push({ floor: await run(floor, ROUND_MS), tiltyard: await run(tiltyard, ROUND_MS) });
  }
  process.stderr.write('\r\x1b[K');
  report(connections, rounds);
}

interface Round extends Measured {
  /** Processor time of the server for each call. */
  readonly cpuMicros: number;
}

function report(connections: number, rounds: readonly { floor: Round; tiltyard: Round }[]): void {
  const ratios = rounds.map((round) => round.tiltyard.perSecond / round.floor.perSecond);
  const line = (name: string, all: readonly Round[]) =>
    `  ${name.padEnd(9)} ${median(all.map((each) => each.perSecond))
      .toFixed(0)
      .padStart(7)} calls/s` +
    `   p50 ${median(all.map((each) => each.p50Ms)).toFixed(2)} ms   p99 ${median(all.map((each) => each.p99Ms)).toFixed(2)} ms   ${median(all.map((each) => each.cpuMicros)).toFixed(1)} us of processor\n`;
  process.stdout.write(
    `calls, ${connections} connection${connections === 1 ? '' : 's'}, median of ${rounds.length} rounds\n`,
  );
  process.stdout.write(
    line(
      'node:http',
      rounds.map(({ floor }) => floor),
    ),
  );
  process.stdout.write(
    line(
      'tiltyard',
      rounds.map(({ tiltyard }) => tiltyard),
    ),
  );
  process.stdout.write(
    `  ratio     ${percent(median(ratios))} of the floor (${percent(Math.min(...ratios))} to ${percent(Math.max(...ratios))})\n\n`,
  );
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(0)} %`;
}
