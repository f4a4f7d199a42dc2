import type { Registry } from 'prom-client';
import { type Published, publishCounter } from '../publish.ts';
import type { RunningCode } from './board.ts';

interface Block {
  readonly labels: { readonly environment: string; readonly part: string; readonly tool: string };
  count: number;
  ms: number;
}

/** How often, and for how long, the event loop was blocked, by the code that blocked it. */
export class Blocks implements Published {
  readonly #blocks = new Map<string, Block>();

  add(code: RunningCode | undefined, ms: number): void {
    const { environment = '', part = '', tool = '' } = code ?? {};
    const key = JSON.stringify([environment, part, tool]);
    const block = this.#blocks.get(key) ?? { labels: { environment, part, tool }, count: 0, ms: 0 };
    block.count += 1;
    block.ms += ms;
    this.#blocks.set(key, block);
  }

  publish(registry: Registry): void {
    const by = 'by the code that blocked it; empty labels where that is not known.';
    const labelNames = ['environment', 'part', 'tool'];
    publishCounter(registry, {
      name: 'tiltyard_blocked_total',
      help: `How often the event loop was blocked for more than maxBlockMs, ${by}`,
      labelNames,
      read: () => Array.from(this.#blocks.values(), ({ labels, count }) => [labels, count]),
    });
    publishCounter(registry, {
      name: 'tiltyard_blocked_seconds_total',
      help: `For how long the event loop was blocked in those cases, ${by}`,
      labelNames,
      read: () => Array.from(this.#blocks.values(), ({ labels, ms }) => [labels, ms / 1000]),
    });
  }
}
