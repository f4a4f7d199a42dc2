import type { Registry } from 'prom-client';
import { onProcess } from './process-events.ts';
import { type Published, publishCounter } from './publish.ts';

/** Counts errors that nobody caught. It only listens: what becomes of the process is decided elsewhere. */
export class UncaughtErrors implements Published {
  #count = 0;
  #stop: (() => void) | undefined;

  publish(registry: Registry): void {
    publishCounter(registry, {
      name: 'tiltyard_uncaught_errors_total',
      help: 'Uncaught errors and unhandled rejections in the process.',
      read: () => this.#count,
    });
  }

  start(): void {
    this.#stop = onProcess('uncaughtExceptionMonitor', () => {
      this.#count += 1;
    });
  }

  close(): void {
    this.#stop?.();
  }
}
