import { extname } from 'node:path';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Questions } from './questions.ts';

/** What the thread is made with. */
export interface WorkerPlan {
  readonly port: MessagePort;
  /** 1 once the answer is there. */
  readonly done: Int32Array;
}

/** A question on its way. */
export interface Asked {
  readonly question: keyof Questions;
  readonly args: readonly unknown[];
}

/** The thread took too long, or too much memory, or failed. */
export class Unanswered extends Error {}

// Plenty for schemas that tools have.
const MEMORY_MB = 256;

/** A thread that answers questions while the asker waits, and is ended if it takes too long. */
export class SchemaThread implements Disposable {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #done = new Int32Array(new SharedArrayBuffer(4));

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const plan: WorkerPlan = { port: port2, done: this.#done };
    this.#worker = new Worker(BOOT, {
      eval: true,
      workerData: plan,
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
      // What the command was started with is not for this thread.
      execArgv: [],
    });
    // One that runs out of memory tells so; the question it had is not answered, which is all that matters.
    this.#worker.on('error', () => {});
    this.#worker.unref();
    port1.unref();
  }

  /**
   * Waits for the answer, and blocks this thread: those who ask have nothing else to do, and some of them, such as the check
   * of what a person types, could not wait in another way.
   */
  ask(asked: Asked, withinMs: number): unknown {
    Atomics.store(this.#done, 0, 0);
    this.#port.postMessage(asked);
    if (Atomics.wait(this.#done, 0, 0, withinMs) === 'timed-out') throw new Unanswered();
    return receiveMessageOnPort(this.#port)?.message;
  }

  [Symbol.dispose](): void {
    this.#port.close();
    void this.#worker.terminate();
  }
}

const EXTENSION = extname(import.meta.url);
const LOAD = `import(${JSON.stringify(new URL(`./schema-worker${EXTENSION}`, import.meta.url).href)})`;

// The sources themselves, as tests run them, need a loader; Node cannot be told of one for a thread in another way.
const BOOT = EXTENSION === '.ts' ? `import('tsx/esm/api').then(({ register }) => (register(), ${LOAD}))` : LOAD;
