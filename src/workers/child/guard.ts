import { Worker } from 'node:worker_threads';
import { GUARD_FD } from '../last-words.ts';
import type { OrderProgress } from './progress.ts';

/** What a guard looks at. */
export interface GuardOptions {
  /** How much memory the process may take; 0: any. */
  readonly maxMemoryBytes: number;
  /** How far the other thread has come. */
  readonly progress: OrderProgress;
}

const LOOK_MS = 100;

// So often it must have found no sign of life before the other thread counts as blocked.
const LOOKS = 3;

/**
 * Tells the server when code blocks this process, and by which order. Ends it when its server is gone, or when it takes too much memory. From a thread of its own: code that loops for ever
 * leaves the other one no time for that.
 */
export function startGuard({ maxMemoryBytes, progress }: GuardOptions): void {
  progress.startBeating(LOOK_MS);
  const { memory } = progress;
  const workerData = { parent: process.ppid, lookMs: LOOK_MS, looks: LOOKS, maxMemoryBytes, memory, fd: GUARD_FD };
  // A text, because it is the same in the sources and in what is built, and needs no loader.
  new Worker(THREAD, { eval: true, workerData, execArgv: [], env: {} }).unref();
}

const THREAD = `
const { writeSync } = require('node:fs');
const { workerData: { parent, lookMs, looks, maxMemoryBytes, memory, fd } } = require('node:worker_threads');
const progress = new Int32Array(memory);
let [beats, since, told] = [0, 0, undefined];
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  const [order, now] = [Atomics.load(progress, 0), Atomics.load(progress, 1)];
  if (now !== beats) [beats, since, told] = [now, 0, undefined];
  else since += 1;
  if (since >= looks && order !== told) {
    told = order;
    writeSync(fd, JSON.stringify({ blocking: order }) + '\\n');
  }
  if (maxMemoryBytes === 0) return;
  const bytes = process.memoryUsage.rss();
  if (bytes <= maxMemoryBytes) return;
  const toMb = (value) => Math.round(value / 1024 / 1024);
  const why = 'it took ' + toMb(bytes) + ' MB of memory, and may take ' + toMb(maxMemoryBytes);
  writeSync(fd, JSON.stringify({ memory: why }) + '\\n');
  process.kill(process.pid, 'SIGKILL');
}, lookMs);
`;
