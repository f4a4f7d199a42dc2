import { type IncomingMessage, request } from 'node:http';
import { onTestFinished } from 'vitest';
import type { TestServer } from './http.ts';
import { readEvents, type SseEvent } from './sse.ts';

/** What an open call asks for. */
export interface OpenOptions {
  readonly sid: string;
  readonly name: string;
  readonly input?: object;
  readonly taskId?: string | undefined;
  readonly env?: string;
}

/** One call, read as it arrives, on a connection of its own. */
export class OpenCall {
  readonly response: Promise<IncomingMessage>;
  /** Resolves with all events when the stream has ended as it should; rejects when it broke. */
  readonly ended: Promise<SseEvent[]>;
  /** Breaks the connection, as a network does. */
  readonly drop: () => void;
  readonly #packets: Buffer[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(server: { readonly url: string }, { sid, name, input = {}, taskId, env = 'math' }: OpenOptions) {
    const body = JSON.stringify({ name, input, ...(taskId === undefined ? {} : { task_id: taskId }) });
    const headers = { 'x-session-id': sid, 'content-type': 'application/json' };
    const sent = request(`${server.url}/${env}/call`, { method: 'POST', agent: false, headers });
    this.drop = () => void sent.destroy();
    this.response = new Promise((resolve, reject) => sent.on('response', resolve).on('error', reject));
    this.ended = this.response.then((response) => this.#read(response));
    // A test that drops the connection does not wait for the end.
    for (const promise of [this.response, this.ended]) promise.catch(() => {});
    onTestFinished(this.drop);
    sent.end(body);
  }

  /** The body so far. */
  get bytes(): Buffer {
    return Buffer.concat(this.#packets);
  }

  get text(): string {
    return this.bytes.toString();
  }

  get events(): SseEvent[] {
    return readEvents(this.text);
  }

  /** Resolves when the body so far is as the test wants it. */
  async until(isThere: (open: this) => boolean): Promise<void> {
    const arrived = new Promise<void>((resolve) => {
      const check = () => {
        if (!isThere(this)) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
    const over = this.ended.then(() => {
      if (!isThere(this)) throw new Error(`the stream ended without it: ${JSON.stringify(this.text)}`);
    });
    await Promise.race([arrived, over]);
  }

  /** Resolves with the id when the server has told it. */
  async taskId(): Promise<string> {
    await this.until(({ events }) => events.length > 0);
    const [first] = this.events;
    if (first?.event !== 'task_id') throw new Error(`the first event is ${JSON.stringify(first)}`);
    return first.data;
  }

  #read(response: IncomingMessage): Promise<SseEvent[]> {
    return new Promise((resolve, reject) => {
      response.on('data', (packet) => {
        this.#packets.push(packet);
        for (const check of [...this.#waiting]) check();
      });
      response.on('end', () => resolve(this.events));
      response.on('error', reject);
    });
  }
}

/** Starts a call and leaves its stream open. */
export function openCall(server: { readonly url: string }, options: OpenOptions): OpenCall {
  return new OpenCall(server, options);
}

/** Resolves when so many more requests have come to the server. */
export function arrivals({ server }: TestServer, count = 1): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    server.app.server.on('request', () => {
      left -= 1;
      if (left === 0) resolve();
    });
  });
}
