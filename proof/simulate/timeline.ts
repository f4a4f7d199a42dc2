import { nextTick } from 'node:process';
import type { Life } from './life.ts';

/** Something that happens at a moment: to a process, or to the world around them. */
export interface Happening {
  at: number;
  /** Tells those of the same moment apart. */
  order: number;
  readonly life: Life | undefined;
  readonly isTimer: boolean;
  run: (() => void) | undefined;
}

/** What a happening is, apart from its time. */
export interface Planned {
  /** To whom it happens; the world around all processes if left out. */
  readonly life?: Life | undefined;
  /** Whether the process itself asked for it. Default: false. */
  readonly isTimer?: boolean;
  readonly run: () => void;
}

/**
 * Virtual time. One thing happens after the other, each together with all promises that it settles, and time passes only in between: the
 * same plans always give the same history.
 */
export class Timeline {
  now = 0;
  /** The process that runs at this moment. */
  current: Life | undefined;
  /** How many things have happened. */
  count = 0;
  /** The same for the same history. */
  digest = 0;
  /** Writes down what happens, if somebody wants to read it. */
  readonly note: (what: () => string) => void;
  readonly #heap: Happening[] = [];
  #order = 0;

  constructor(onNote?: (line: string) => void) {
    this.note = (what) => onNote?.(`${this.now.toFixed(1).padStart(9)} ms  ${what()}`);
  }

  /** Plans something; the returned function calls it off. */
  at(time: number, { life, isTimer = false, run }: Planned): () => void {
    this.#order += 1;
    const happening: Happening = { at: Math.max(time, this.now), order: this.#order, life, isTimer, run };
    this.#push(happening);
    return () => {
      happening.run = undefined;
    };
  }

  /** Plans once more what could not happen, now. */
  again(happening: Happening): void {
    this.#order += 1;
    happening.at = this.now;
    happening.order = this.#order;
    this.#push(happening);
  }

  /** Lets time pass until this returns true, or nothing is left to happen. */
  passUntil(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const pass = () => {
        this.current = undefined;
        try {
          const next = isOver() ? undefined : this.#next();
          if (next === undefined) return resolve();
          this.#happen(next);
        } catch (thrown) {
          return reject(thrown);
        }
        // A tick that a promise asks for comes after all promises, also those that promises have settled.
        queueMicrotask(() => nextTick(pass));
      };
      pass();
    });
  }

  /** The next thing that happens to somebody who is there. */
  #next(): Happening | undefined {
    for (let next = this.#pop(); next !== undefined; next = this.#pop()) {
      if (next.run === undefined || next.life?.state === 'dead') continue;
      this.now = next.at;
      if (next.life?.state !== 'paused') return next;
      next.life.hold(next);
    }
    return undefined;
  }

  #happen({ at, order, life, run }: Happening): void {
    this.count += 1;
    this.digest = (Math.imul(this.digest, 31) + Math.round(at * 1_000) + order) | 0;
    this.current = life;
    run?.();
  }

  #push(happening: Happening): void {
    const heap = this.#heap;
    let index = heap.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Happening;
      if (!isBefore(happening, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = happening;
  }

  #pop(): Happening | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Happening, heap[child] as Happening)) child += 1;
      if (!isBefore(heap[child] as Happening, last)) break;
      heap[index] = heap[child] as Happening;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(one: Happening, other: Happening): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
