import { Counter, type Registry } from 'prom-client';
import type { RunningCode } from './board.ts';

interface Block {
  readonly labels: { readonly environment: string; readonly part: string; readonly tool: string };
  count: number;
  ms: number;
}

/** How often, and for how long, the event loop was blocked, by the code that blocked it. */
export class Blocks {
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
    const blocks = this.#blocks;
    const publish = (name: string, help: string, read: (block: Block) => number) =>
      new Counter({
        name,
        help,
        labelNames: ['environment', 'part', 'tool'],
        registers: [registry],
        collect() {
          this.reset();
          for (const block of blocks.values()) this.inc(block.labels, read(block));
        },
      });
    const who = 'by the code that blocked it; empty labels where that is not known.';
    publish(
      'tiltyard_blocked_total',
      `How often the event loop was blocked for more than maxBlockMs, ${who}`,
      ({ count }) => count,
    );
    publish(
      'tiltyard_blocked_seconds_total',
      `For how long the event loop was blocked in those cases, ${who}`,
      ({ ms }) => ms / 1000,
    );
  }
}
