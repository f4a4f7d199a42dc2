import type { ServerResponse } from 'node:http';
import { PING, type ServerEvent, withoutLineBreaks } from '../../protocol/index.ts';
import type { Beating } from '../http/heartbeat.ts';
import { EventQueue } from './event-queue.ts';

/** What somebody wants to hear. */
export interface Interest {
  /** Who listens. */
  readonly caller: string;
  /** Whose sessions; undefined for everybody's. */
  readonly identity: string | undefined;
  /** One session only. */
  readonly sid: string | undefined;
  /** Whether prompts, inputs and outputs are told as well. */
  readonly content: boolean;
}

/** Whom an event is about. */
export interface Topic {
  readonly identity: string;
  /** Undefined for a tool of a toolkit. */
  readonly sid: string | undefined;
}

// Some seconds of a busy server, and one large output beside it.
const MAX_WAITING = 8 * 2 ** 20;
const WRITE_AT_ONCE = 256 * 1024;

/** One connection that hears of events, no faster than it reads them. */
export class Listener implements Beating {
  readonly interest: Interest;
  readonly #response: ServerResponse;
  readonly #queue = new EventQueue(MAX_WAITING);
  #toldDropped = 0;
  #isScheduled = false;

  constructor(response: ServerResponse, interest: Interest) {
    this.#response = response;
    this.interest = interest;
    response.on('drain', () => this.#write());
  }

  wants({ identity, sid }: Topic): boolean {
    const { interest } = this;
    if (interest.identity !== undefined && interest.identity !== identity) return false;
    return interest.sid === undefined || interest.sid === sid;
  }

  /** Adds an event; it goes out with the others of this turn. */
  tell(event: string): void {
    this.#queue.push(event);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#write();
    });
  }

  beat(): void {
    const { writableNeedDrain, writableEnded } = this.#response;
    if (!writableNeedDrain && !writableEnded) this.#response.write(PING);
  }

  end(): void {
    this.#response.end();
  }

  /** Ends at once, with whatever has not been read: nobody waits for a slow reader. */
  cutOff(): void {
    this.#response.destroy();
  }

  #write(): void {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    while (!this.#queue.isEmpty && !response.writableNeedDrain) {
      const { dropped } = this.#queue;
      const isNews = dropped > this.#toldDropped;
      this.#toldDropped = dropped;
      const notice = isNews ? encodeEvent({ type: 'dropped', at: Date.now(), count: dropped }) : '';
      response.write(notice + this.#queue.take(WRITE_AT_ONCE));
    }
  }
}

/** An event as it is written. */
export function encodeEvent(event: ServerEvent): string {
  return encodeJson(JSON.stringify(event));
}

/** The same of one that is JSON already. */
export function encodeJson(json: string): string {
  return `data: ${withoutLineBreaks(json)}\n\n`;
}
