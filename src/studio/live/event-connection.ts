import { setTimeout as pause } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { excessIn, parsedBytes, type ServerEvent } from '../../protocol/index.ts';
import type { Problem } from '../api.ts';
import type { TargetLink } from '../targets/target-link.ts';
import { hideKey } from './hide-key.ts';

/** Who hears what a server tells. */
export interface ConnectionListener {
  /** `bytes` is about how much memory it takes. May throw if it makes no sense. */
  event(event: ServerEvent, bytes: number): void;
  /** The connection is gone, and is tried again; with a problem if what came could not be read. */
  lost(problem: Problem | null): void;
  /** The server does not tell: by its status. */
  refused(status: number): void;
}

const PAUSE_MS = 1_000;
// It will send the same again: no hurry to read it.
const PAUSE_AFTER_PROBLEM_MS = 10_000;
// All sessions of a very busy server, or an output with large images.
const MOST_MB = 16;
const MOST_VALUES = 1_000_000;
// The server sends a sign of life every ten seconds.
const SILENCE_MS = 30_000;

/** Hears a server's events, and connects again after each break, until it is closed. */
export class EventConnection {
  readonly #link: TargetLink;
  readonly #query: string;
  readonly #listener: ConnectionListener;
  readonly #closed = new AbortController();

  constructor(link: TargetLink, query: string, listener: ConnectionListener) {
    this.#link = link;
    this.#query = query;
    this.#listener = listener;
    void this.#run();
  }

  close(): void {
    this.#closed.abort();
  }

  async #run(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      let problem: Problem | null = null;
      const refusal = await this.#listen().catch((thrown) => {
        if (thrown instanceof Unreadable) problem = thrown.toProblem();
        return undefined;
      });
      if (this.#closed.signal.aborted) return;
      if (refusal === undefined) this.#listener.lost(problem);
      else this.#listener.refused(refusal);
      const pauseMs = problem === null ? PAUSE_MS : PAUSE_AFTER_PROBLEM_MS;
      await pause(pauseMs, undefined, { signal: this.#closed.signal, ref: false }).catch(() => {});
    }
  }

  /** Resolves at the end of the stream; with a status if there was none. */
  async #listen(): Promise<number | undefined> {
    const { url } = this.#link.options;
    const silence = new Silence();
    const signal = AbortSignal.any([this.#closed.signal, silence.signal]);
    try {
      const { headers } = this.#link;
      const response = await fetch(`${url}/events${this.#query}`, { headers, signal, redirect: 'manual' });
      if (response.status !== 200 || response.body === null) {
        await response.body?.cancel();
        return response.status;
      }
      await this.#read(response.body, silence);
      return undefined;
    } finally {
      silence.stop();
    }
  }

  async #read(body: ReadableStream<Uint8Array>, silence: Silence): Promise<void> {
    const parser = createParser({ onEvent: ({ data }) => this.#take(data) });
    const decoder = new TextDecoder();
    let unfinished = 0;
    for await (const bytes of body) {
      silence.broken();
      const text = decoder.decode(bytes, { stream: true });
      // A blank line ends what was begun; the parser holds what comes after it.
      const end = text.lastIndexOf('\n\n');
      unfinished = end === -1 ? unfinished + text.length : text.length - end;
      if (unfinished > MOST_MB * 2 ** 20) throw new Unreadable(`the server sent an event of more than ${MOST_MB} MB`);
      parser.feed(text);
    }
  }

  #take(data: string): void {
    if (excessIn(data, { containers: MOST_VALUES, values: MOST_VALUES }) !== undefined)
      throw new Unreadable(`the server sent an event of more than ${MOST_VALUES} values`);
    try {
      const event = hideKey(JSON.parse(data) as ServerEvent, this.#link.secrets);
      this.#listener.event(event, parsedBytes(data));
    } catch (cause) {
      throw new Unreadable('the server sent an event that makes no sense', { cause });
    }
  }
}

/** What a server sent cannot be read, or is too much. */
class Unreadable extends Error {
  toProblem(): Problem {
    const advice =
      'Check that the server is a tiltyard server of the same version. The studio connects again in a few seconds.';
    return { kind: 'server', code: 'unreadable_events', message: this.message, advice, status: null };
  }
}

/** Fires when nothing has come for too long. */
class Silence {
  readonly #controller = new AbortController();
  readonly #timer = setTimeout(() => this.#controller.abort(), SILENCE_MS).unref();

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  broken(): void {
    this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
