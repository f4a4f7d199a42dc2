// npm run bench:client: one process holds many sessions on a server in another; what they cost, and whether it grows.
import { readdirSync } from 'node:fs';
import { connect, type Session } from 'tiltyard/client';
import { inTurns } from '../src/cli/bench/load/in-turns.ts';
import { liveBytes } from '../test/support/memory.ts';
import { startChild } from './child.ts';
import { countTimers } from './live-timers.ts';
import { API_KEY } from './servers/api-key.ts';
import { slopeOf } from './slope.ts';

const SESSIONS = Number(process.env.SESSIONS ?? 1_000);
const HOLD_MS = Number(process.env.HOLD_MS ?? 15_000);
const PING_MS = Number(process.env.PING_MS ?? 2_000);
// So many sessions are opened, played and closed at a time.
const TOGETHER = 50;

/** What the process uses at one moment. */
interface Usage {
  readonly atMs: number;
  readonly bytes: number;
  readonly descriptors: number;
  readonly timers: number;
}

const timers = countTimers('/client/');
let pings = 0;

using server = await startChild('tiltyard');
const client = connect(`http://127.0.0.1:${server.port}`, {
  apiKey: API_KEY,
  pingMs: PING_MS,
  fetch(url, init) {
    if (url.endsWith('/ping')) pings += 1;
    return fetch(url, init);
  },
});

// Compiled, connected and warm before anything is measured.
for (let round = 0; round < 5; round += 1) await closeAll(await openAll(TOGETHER));
const before = await measure();

const sessions = await timed(`open ${SESSIONS} sessions`, () => openAll(SESSIONS));
await timed('one call in each', () => inTurns(sessions, TOGETHER, play));
pings = 0;
const samples: Usage[] = [];
const begun = performance.now();
while (performance.now() < begun + HOLD_MS) {
  await new Promise((resolve) => setTimeout(resolve, 500));
  samples.push(await measure());
}
const perSecond = (pings / (performance.now() - begun)) * 1_000;
await timed('close all', () => closeAll(sessions));
const after = await measure();

const [first = before, last = before] = [samples[0], samples.at(-1)];
// By then every session has been pinged, and there are as many connections as that takes.
const steady = samples.slice(Math.floor(samples.length / 3));
say('pings', `${perSecond.toFixed(0)} a second (wanted: ${((SESSIONS / PING_MS) * 1_000).toFixed(0)})`);
say('memory', `${mb(before)} before, ${mb(first)} with all sessions, ${mb(last)} at the end, ${mb(after)} after`);
say('a session', `${((last.bytes - before.bytes) / SESSIONS / 1024).toFixed(1)} KB`);
const bytesPerSecond = slopeOf(steady.map(({ atMs, bytes }) => [atMs / 1_000, bytes]));
say('slope', `${(bytesPerSecond / 1024).toFixed(1)} KB a second, over ${steady.length} samples`);
say('descriptors', `${before.descriptors} before, ${last.descriptors} with all sessions, ${after.descriptors} after`);
say('timers', `${before.timers} before, ${last.timers} with all sessions, ${after.timers} after`);

async function openAll(count: number): Promise<Session[]> {
  const opened: Session[] = [];
  await inTurns(Array.from({ length: count }), TOGETHER, async () => {
    opened.push(await client.session({ split: 'train', index: 0 }));
  });
  return opened;
}

async function play(session: Session): Promise<void> {
  const { reward } = await session.call('add', { amount: 1, note: 'a note' });
  if (reward !== 0.5) throw new Error(`unexpected reward ${reward}`);
}

function closeAll(all: readonly Session[]): Promise<void> {
  return inTurns(all, TOGETHER, (session) => session.close());
}

async function measure(): Promise<Usage> {
  const bytes = await liveBytes();
  const descriptors = readdirSync('/proc/self/fd').length;
  return { atMs: performance.now(), bytes, descriptors, timers: timers.count };
}

async function timed<Value>(what: string, run: () => Promise<Value>): Promise<Value> {
  const begun = performance.now();
  const value = await run();
  say(what, `${(performance.now() - begun).toFixed(0)} ms`);
  return value;
}

function mb({ bytes }: Usage): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function say(what: string, figures: string): void {
  process.stdout.write(`${what.padEnd(20)} ${figures}\n`);
}
