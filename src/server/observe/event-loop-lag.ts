import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import { type Published, publishGauge } from './publish.ts';

// Fine enough for delays that anybody notices; each tick costs an idle process some microseconds.
const RESOLUTION_MS = 20;
const QUANTILES: readonly number[] = [0.5, 0.9, 0.99, 1];

// No scraper should look less often than that.
const GENERATION_MS = 60_000;

/**
 * How late the event loop was in the last minute or two. Two histograms take turns, however often they are read: one that began anew
 * at each look would give its peak to a second scraper, or to one that had given up by the time the loop was free.
 */
export class EventLoopLag implements Published {
  /** The one that is shown: it goes back at least a generation, or to the start. */
  #older: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #newer: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #timer: NodeJS.Timeout | undefined;

  publish(registry: Registry): void {
    publishGauge(registry, {
      name: 'tiltyard_event_loop_lag_seconds',
      help: 'How late timers fired in the last one to two minutes; quantile 1 is the longest delay.',
      labelNames: ['quantile'],
      read: () => this.#read(),
    });
  }

  /** Begins to measure. */
  start(): void {
    this.#older.enable();
    this.#newer.enable();
    this.#timer = setInterval(() => this.#rotate(), GENERATION_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#older.disable();
    this.#newer.disable();
  }

  #rotate(): void {
    [this.#older, this.#newer] = [this.#newer, this.#older];
    this.#newer.reset();
  }

  #read(): (readonly [labels: { readonly quantile: string }, seconds: number])[] {
    const histogram = this.#older;
    // What Node measures is the time between two timers, so that the one it waited for is in it.
    const toSeconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
    return QUANTILES.map((quantile) => [
      { quantile: String(quantile) },
      toSeconds(histogram.percentile(quantile * 100)),
    ]);
  }
}
