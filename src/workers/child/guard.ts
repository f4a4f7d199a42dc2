import { Worker } from 'node:worker_threads';
import { GUARD_FD } from '../last-words.ts';

/** What a guard looks at. */
export interface GuardOptions {
  /** How much memory the process may take; 0: any. */
  readonly maxMemoryBytes: number;
}

const LOOK_MS = 100;

/**
 * Ends this process when its server is gone, or when it takes too much memory. From a thread of its own: code that loops for ever
 * leaves the other one no time for that.
 */
export function startGuard({ maxMemoryBytes }: GuardOptions): void {
  const workerData = { parent: process.ppid, lookMs: LOOK_MS, maxMemoryBytes, fd: GUARD_FD };
  // A text, because it is the same in the sources and in what is built, and needs no loader.
  new Worker(THREAD, { eval: true, workerData, execArgv: [], env: {} }).unref();
}

const THREAD = `
const { writeSync } = require('node:fs');
const { workerData: { parent, lookMs, maxMemoryBytes, fd } } = require('node:worker_threads');
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  if (maxMemoryBytes === 0) return;
  const bytes = process.memoryUsage.rss();
  if (bytes <= maxMemoryBytes) return;
  const toMb = (value) => Math.round(value / 1024 / 1024);
  const memory = 'it took ' + toMb(bytes) + ' MB of memory, and may take ' + toMb(maxMemoryBytes);
  writeSync(fd, JSON.stringify({ memory }) + '\\n');
  process.kill(process.pid, 'SIGKILL');
}, lookMs);
`;
