import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../support/http.ts';

const CONNECTIONS = 1_000;
// If one more is taken than may be, then soon after the others.
const SOON_MS = 200;

/** The most connections that the system lets wait, whatever a server asks for. */
function mostOfSystem(): number {
  return process.platform === 'linux' ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) : 0;
}

const CLIENT = `
  const { connect } = require('node:net');
  const { port, connections, taken } = require('node:worker_threads').workerData;
  const onTaken = () => { Atomics.add(taken, 0, 1); Atomics.notify(taken, 0); };
  for (let i = 0; i < connections; i++) connect(port, '127.0.0.1', onTaken);
`;

/** How many connections out of many the system takes while the server's thread does nothing; looks when `expected` are there. */
function takenWhileBusy(url: string, expected: number): number {
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { port: Number(new URL(url).port), connections: CONNECTIONS, taken };
  const clients = new Worker(CLIENT, { eval: true, workerData });
  onTestFinished(async () => void (await clients.terminate()));
  let count = 0;
  while (count < expected && Atomics.wait(taken, 0, count, 5_000) !== 'timed-out') count = Atomics.load(taken, 0);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SOON_MS);
  return Atomics.load(taken, 0);
}

const isTooFew = mostOfSystem() < CONNECTIONS;
if (isTooFew) console.warn(`SKIPPED: a thousand connections at once, because this system lets ${mostOfSystem()} wait`);

test.skipIf(isTooFew)(
  'a busy server keeps nobody out of a thousand who connect at once, where the system lets so many wait',
  async () => {
    const { url } = await startServer();
    expect(takenWhileBusy(url, CONNECTIONS)).toBe(CONNECTIONS);
  },
);

test('no more connections wait than the limit says', async () => {
  const { url } = await startServer({ limits: { backlog: 20 } });
  // Linux takes one more.
  expect([20, 21]).toContain(takenWhileBusy(url, 20));
});

test('a limit above all numbers of the system is the most there is', async () => {
  const { url } = await startServer({ limits: { backlog: 2 ** 32 } });
  expect(takenWhileBusy(url, 20)).toBeGreaterThanOrEqual(20);
});
