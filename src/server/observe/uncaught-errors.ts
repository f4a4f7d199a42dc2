import { Counter, type Registry } from 'prom-client';

/** Counts errors that nobody caught. It only listens: what becomes of the process is decided elsewhere. */
export class UncaughtErrors {
  #count = 0;
  readonly #note = () => {
    this.#count += 1;
  };

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
    process.on('uncaughtExceptionMonitor', this.#note);
  }

  close(): void {
    process.off('uncaughtExceptionMonitor', this.#note);
  }
}
