import { Worker } from 'node:worker_threads';

const LOOK_MS = 500;

// So often the process that started this one must be gone before one that does not notice is ended.
const LOOKS = 2;

/**
 * Ends this process when the one that started it was killed, unless it is about to end by itself: then it has `closeMs` for that. From a thread
 * of its own: code that loops leaves the other one no time to notice. The returned function says that it has noticed.
 */
export function startOrphanGuard(closeMs: number): () => void {
  const noticed = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { parent: process.ppid, lookMs: LOOK_MS, looks: LOOKS, closeMs, noticed };
  // A text, because it is the same in the sources and in what is built, and needs no loader.
  new Worker(THREAD, { eval: true, workerData, execArgv: [], env: {} }).unref();
  return () => void Atomics.store(noticed, 0, 1);
}

const THREAD = `
const { workerData: { parent, lookMs, looks, closeMs, noticed } } = require('node:worker_threads');
let alone = 0;
setInterval(() => {
  if (process.ppid === parent) return;
  alone += 1;
  if (alone >= looks && (Atomics.load(noticed, 0) === 0 || alone * lookMs > closeMs)) process.kill(process.pid, 'SIGKILL');
}, lookMs);
`;
