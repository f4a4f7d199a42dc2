import { parentPort, workerData } from 'node:worker_threads';
import type { Order, ThreadData } from './messages.ts';
import { Records } from './records.ts';

// The recorder's own thread: it waits for the disk, so that nobody else does.

const records = new Records(workerData as ThreadData);

parentPort?.on('message', (order: Order) => {
  if ('batch' in order) parentPort?.postMessage(records.write(order.batch));
  else if ('tools' in order) records.describe(order.tools);
  else parentPort?.close();
});
