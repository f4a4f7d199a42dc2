import { Registry } from 'prom-client';
import type { Published } from './publish.ts';

/** The numbers of one server for Prometheus. prom-client reads them when it is asked: its own would look up their labels each time. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #published: readonly Published[];

  /** They are shown in this order. */
  constructor(published: readonly Published[]) {
    this.#published = published;
    for (const each of published) each.publish(this.#registry);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics, in the text format of Prometheus. */
  read(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Begins to measure what nobody tells of. */
  start(): void {
    for (const each of this.#published) each.start?.();
  }

  /** Measures no more. */
  close(): void {
    for (const each of this.#published) each.close?.();
  }
}
