import { parentPort, workerData } from 'node:worker_threads';
import type { Order, ThreadData, Told } from './messages.ts';
import { Records } from './records.ts';
import { BEAT_MS } from './writers.ts';

// The recorder's own thread: it waits for the disk, so that nobody else does.

const records = new Records(workerData as ThreadData);
setInterval(() => records.beat(), BEAT_MS).unref();

parentPort?.on('message', (order: Order) => {
  if ('batch' in order) write(order.batch);
  else if ('tools' in order) records.describe(order.tools);
  else close();
});

function close(): void {
  records.close();
  parentPort?.close();
}

function write(batch: Uint8Array<ArrayBuffer>): void {
  const { buffer: room } = batch;
  const told: Told = { ...records.write(batch), room };
  parentPort?.postMessage(told, [room]);
}
