import { setTimeout as pause } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import type { ServerEvent } from '../../protocol/index.ts';
import type { TargetLink } from '../targets/target-link.ts';

/** Who hears what a server tells. */
export interface ConnectionListener {
  event(event: ServerEvent): void;
  /** The connection is there; its first event follows. */
  open(): void;
  /** It is gone, and tried again. */
  lost(): void;
  /** The server does not tell: by its status. */
  refused(status: number): void;
}

const PAUSE_MS = 1_000;
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
      const refusal = await this.#listen().catch(() => undefined);
      if (this.#closed.signal.aborted) return;
      if (refusal === undefined) this.#listener.lost();
      else this.#listener.refused(refusal);
      await pause(PAUSE_MS, undefined, { signal: this.#closed.signal, ref: false }).catch(() => {});
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
      this.#listener.open();
      await this.#read(response.body, silence);
      return undefined;
    } finally {
      silence.stop();
    }
  }

  async #read(body: ReadableStream<Uint8Array>, silence: Silence): Promise<void> {
    const parser = createParser({ onEvent: ({ data }) => this.#listener.event(JSON.parse(data) as ServerEvent) });
    const decoder = new TextDecoder();
    for await (const bytes of body) {
      silence.broken();
      parser.feed(decoder.decode(bytes, { stream: true }));
    }
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
