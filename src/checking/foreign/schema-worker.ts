import { workerData } from 'node:worker_threads';
import { answer } from './questions.ts';
import type { Asked, WorkerPlan } from './schema-thread.ts';

const { port, done } = workerData as WorkerPlan;

port.on('message', ({ question, args }: Asked) => {
  port.postMessage(answer(question, args as never));
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
});
