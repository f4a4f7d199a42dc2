import { url as inspectorUrl } from 'node:inspector';
import type { Worker } from 'node:worker_threads';
import { type Log, startThread } from '../../../core/index.ts';
import type { CallFacts, HostEvent, Observer, Subject } from '../../../sessions/index.ts';
import { Blocks } from './blocks.ts';
import { Board, CURRENT, type RunningCode, WAITING } from './board.ts';
import { byWhom, fieldsOf, LEVELS, type LineOutput, nameOf, seconds, writeLine } from './lines.ts';
import type { ThreadData } from './thread.ts';

/** What a watchdog is told. */
export interface WatchdogOptions {
  /** How long the event loop may be blocked before the log names who blocks it. */
  readonly maxBlockMs: number;
  /** Where it is written that a block is over. */
  readonly log: Log;
  /** Where lines go meanwhile. */
  readonly output: LineOutput;
}

// Often enough for short limits, rarely enough to cost nothing.
const BEATS_IN_LIMIT = 10;
const SHORTEST_BEAT_MS = 10;
const LONGEST_BEAT_MS = 100;

/**
 * Says who blocks the event loop, while it is blocked, and what ran when the process ends without notice. It writes what runs into
 * memory that a thread of its own reads.
 */
export class Watchdog implements Observer, Disposable {
  readonly blocks: Blocks = new Blocks();
  readonly #board = new Board();
  readonly #options: WatchdogOptions;
  readonly #beatMs: number;
  #timer: NodeJS.Timeout | undefined;
  #thread: Worker | undefined;
  readonly #freePlaces = [...WAITING];
  readonly #onExit = (exitCode: number) => this.#tellOfExit(exitCode);
  #lastBeat = 0;
  #isInside = false;
  #latest: CallFacts | undefined;

  constructor(options: WatchdogOptions) {
    const { maxBlockMs } = options;
    this.#options = options;
    this.#beatMs = Math.min(LONGEST_BEAT_MS, Math.max(SHORTEST_BEAT_MS, Math.ceil(maxBlockMs / BEATS_IN_LIMIT)));
    process.on('exit', this.#onExit);
  }

  /** Begins to watch, once there is somebody who is not served while something blocks. */
  watch(): void {
    if (this.#thread !== undefined) return;
    const { maxBlockMs, output, log } = this.#options;
    this.#lastBeat = performance.now();
    this.#timer = setInterval(() => this.#beat(), this.#beatMs).unref();
    const data: ThreadData = { memory: this.#board.memory, maxBlockMs, beatMs: this.#beatMs, output };
    this.#thread = startThread(import.meta.url, 'thread', data);
    this.#thread.on('error', (error) => log.error({ error }, 'the watchdog has failed; blocks are no longer told'));
    this.#thread.unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    process.off('exit', this.#onExit);
    void this.#thread?.terminate();
  }

  on(event: HostEvent): void {
    // Its code is next, so that its id is at hand.
    if (event.type === 'call_started' || event.type === 'call_running') this.#latest = event.call;
  }

  readonly within: NonNullable<Observer['within']> = (subject, run) => {
    // Code within other code: who entered first has the thread.
    if (this.#isInside) return run();
    this.#isInside = true;
    this.#board.write(CURRENT, this.#toRunningCode(subject));
    try {
      const value = run();
      if (value instanceof Promise) this.#follow(value);
      return value;
    } finally {
      this.#isInside = false;
      this.#board.clear(CURRENT);
    }
  };

  #toRunningCode(subject: Subject): RunningCode {
    const { part, environment = '' } = subject;
    if (part === 'tasks') return { part, environment, tool: '', sid: '', call: '' };
    const { sid = '' } = subject;
    if (!('call' in subject)) return { part, environment, tool: '', sid, call: '' };
    const { tool, call } = subject;
    return { part, environment, tool, sid, call: this.#latest?.number === call ? this.#latest.id : '' };
  }

  /** Remembers code that waits for something until it has ended. */
  #follow(running: Promise<unknown>): void {
    const place = this.#freePlaces.pop();
    if (place === undefined) return;
    this.#board.copy(CURRENT, place);
    const free = () => {
      this.#board.clear(place);
      this.#freePlaces.push(place);
    };
    running.then(free, free);
  }

  #beat(): void {
    const now = performance.now();
    const lateMs = now - this.#lastBeat - this.#beatMs;
    this.#lastBeat = now;
    this.#board.beat(inspectorUrl() !== undefined);
    const told = this.#board.takeTold();
    if (told === undefined) return;
    this.blocks.add(told.code, lateMs);
    const fields = { ...(told.code && fieldsOf(told.code)), blockedMs: Math.round(lateMs) };
    this.#options.log.warn(fields, `the process was blocked for ${seconds(lateMs)}${byWhom(told)}`);
  }

  /** Says what runs when the process ends: on purpose nothing does. */
  #tellOfExit(exitCode: number): void {
    const current = this.#board.read(CURRENT);
    const waiting = this.#board.waiting.map(fieldsOf);
    if (current === undefined && waiting.length === 0) return;
    const runs = waiting.length === 0 ? {} : { waiting };
    const exits = `the process exits with code ${exitCode}`;
    if (current === undefined) {
      const [these, run] = waiting.length === 1 ? ['this', 'runs'] : ['these', 'run'];
      writeLine(this.#options.output, LEVELS.error, { exitCode, ...runs }, `${exits} while ${these} still ${run}`);
      return;
    }
    // Who ended it stands in the stack.
    const { stack } = new Error('exit');
    const fields = { ...fieldsOf(current), exitCode, error: { stack }, ...runs };
    writeLine(this.#options.output, LEVELS.error, fields, `${exits} in ${nameOf(current)}`);
  }
}
