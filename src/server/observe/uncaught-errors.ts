import { Counter, type Registry } from 'prom-client';
import { onProcess } from './process-events.ts';

/** Counts errors that nobody caught. It only listens: what becomes of the process is decided elsewhere. */
export class UncaughtErrors {
  #count = 0;
  #stop: (() => void) | undefined;

  constructor(registry: Registry) {
    const read = () => this.#count;
    new Counter({
      name: 'tiltyard_uncaught_errors_total',
      help: 'Uncaught errors and unhandled rejections in the process.',
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read());
      },
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
