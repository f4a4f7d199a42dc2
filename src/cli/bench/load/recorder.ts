import type { Traffic } from './connection.ts';
import { Histogram } from './histogram.ts';
import type { LoadProblem, ProblemKind } from './problem.ts';

/** How often one kind of failure happened, and what the first one said. */
export interface ErrorCount {
  readonly kind: ProblemKind;
  readonly count: number;
  readonly example: string;
}

/** Units that ended in each interval, from the beginning of the measurement. */
export interface Timeline {
  readonly intervalMs: number;
  readonly counts: readonly number[];
}

/** What was measured in one window of time. */
export interface Measurement {
  readonly seconds: number;
  /** Units that went well and ended inside the window. */
  readonly completed: number;
  readonly perSecond: number;
  /** Units that failed. */
  readonly failed: number;
  readonly latency: Histogram;
  /** The latencies of what a unit consists of, by name. */
  readonly operations: ReadonlyMap<string, Histogram>;
  readonly errors: readonly ErrorCount[];
  readonly timeline: Timeline;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

// So many intervals, unless they would be too short to say anything.
const INTERVALS = 60;
const MIN_INTERVAL_MS = 100;

/**
 * Counts what happens between `begin` and `close`. What begins in the window has its latency and its failure counted,
 * also when it ends after it; throughput is what ends inside it.
 */
export class Recorder {
  readonly #traffic: Traffic;
  readonly #intervalMs: number;
  readonly #latency = new Histogram();
  readonly #operations = new Map<string, Histogram>();
  readonly #errors = new Map<ProblemKind, { count: number; example: string }>();
  readonly #counts: number[] = [];
  #begun = Number.POSITIVE_INFINITY;
  #closed: { readonly at: number; readonly traffic: Traffic } | undefined;
  #traffic0: Traffic = { sent: 0, received: 0 };
  #completed = 0;
  #failed = 0;

  constructor(traffic: Traffic, durationMs: number) {
    this.#traffic = traffic;
    this.#intervalMs = Math.max(MIN_INTERVAL_MS, durationMs / INTERVALS);
  }

  get completed(): number {
    return this.#completed;
  }

  begin(): void {
    this.#begun = performance.now();
    this.#traffic0 = { ...this.#traffic };
  }

  close(): void {
    this.#closed = { at: performance.now(), traffic: { ...this.#traffic } };
  }

  /** A unit that began, or should have begun, at this time has ended now. */
  unit(began: number, problem: LoadProblem | undefined): void {
    const now = performance.now();
    if (problem !== undefined) return void (began >= this.#begun && this.failure(problem));
    if (began >= this.#begun) this.#latency.record(now - began);
    if (this.#closed !== undefined || now < this.#begun) return;
    this.#completed += 1;
    const interval = Math.floor((now - this.#begun) / this.#intervalMs);
    this.#counts[interval] = (this.#counts[interval] ?? 0) + 1;
  }

  /** A part of a unit that took this long. */
  operation(name: string, ms: number): void {
    if (performance.now() - ms < this.#begun) return;
    const histogram = this.#operations.get(name) ?? new Histogram();
    this.#operations.set(name, histogram);
    histogram.record(ms);
  }

  /** A failure, also of what is done between units. */
  failure({ kind, detail }: LoadProblem): void {
    if (performance.now() < this.#begun) return;
    this.#failed += 1;
    const known = this.#errors.get(kind);
    if (known === undefined) this.#errors.set(kind, { count: 1, example: detail });
    else known.count += 1;
  }

  measurement(): Measurement {
    const { at, traffic } = this.#closed ?? { at: performance.now(), traffic: this.#traffic };
    const seconds = Math.max(0, at - this.#begun) / 1000;
    return {
      seconds,
      completed: this.#completed,
      perSecond: seconds > 0 ? this.#completed / seconds : 0,
      failed: this.#failed,
      latency: this.#latency,
      operations: this.#operations,
      errors: [...this.#errors].map(([kind, error]) => ({ kind, ...error })).sort((a, b) => b.count - a.count),
      timeline: { intervalMs: this.#intervalMs, counts: this.#toCounts(seconds * 1000) },
      sentBytes: traffic.sent - this.#traffic0.sent,
      receivedBytes: traffic.received - this.#traffic0.received,
    };
  }

  // Whole intervals only: the last one, cut by the end, would look like a collapse.
  #toCounts(lengthMs: number): number[] {
    return Array.from({ length: Math.floor(lengthMs / this.#intervalMs) }, (_, index) => this.#counts[index] ?? 0);
  }
}
