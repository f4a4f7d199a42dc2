// npm run bench: this server beside the floor that node:http sets, in turns, in one run.
import { type BenchServer, startChild } from './child.ts';
import { type Measured, measure } from './load.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const ROUND_MS = Number(process.env.ROUND_MS ?? 3_000);
const CALL = JSON.stringify({ name: 'add', input: { amount: 12, note: 'a note of some length' } });

using floor = await startChild('floor');
using tiltyard = await startChild('tiltyard');

for (const connections of [64, 1]) {
  const sids = await Promise.all(Array.from({ length: connections }, () => createEpisode(tiltyard)));
  const requests = sids.map((sid) => toRequest('/counter/call', sid, CALL));
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

async function createEpisode({ port }: BenchServer): Promise<string> {
  const sid = crypto.randomUUID();
  const response = await fetch(`http://127.0.0.1:${port}/create`, {
    method: 'POST',
    headers: { 'x-session-id': sid, 'content-type': 'application/json' },
    body: JSON.stringify({ split: 'train', index: 0 }),
  });
  if (!response.ok) throw new Error(await response.text());
  return sid;
}

function toRequest(path: string, sid: string, body: string): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-Session-ID: ${sid}\r\nAccept: text/event-stream\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(0)} %`;
}
