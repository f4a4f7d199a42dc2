import { LRUCache } from 'lru-cache';
import { keyIdOf, type Sealer } from '../../journal/index.ts';
import { type Bus, type BusListener, NoAnswer, NoResponders } from '../bus.ts';
import { EndOfTurn } from './end-of-turn.ts';
import type { Msg, NatsConnection } from './nats-library.ts';
import { PartsReader, toParts } from './parts.ts';

/** A message on the wire: its bytes, and which part of them it is. */
const PART = 'Tiltyard-Part';

const MOST_UNFINISHED = 1_000;

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
  readonly timer: NodeJS.Timeout;
}

/** What a bus over NATS is made from. */
export interface NatsBusParts {
  readonly connection: NatsConnection;
  /** Begins all subjects. */
  readonly prefix: string;
  /** The library's own. */
  readonly makeHeaders: () => Headers;
  /** With a key, messages are sealed, and those that are not are not heard. */
  readonly sealer: Sealer;
}

/** A bus over NATS. Longer messages than it takes go in parts. */
export class NatsBus implements Bus {
  readonly #connection: NatsConnection;
  readonly #prefix: string;
  readonly #makeHeaders: () => Headers;
  readonly #sealer: Sealer;
  readonly #waiting = new Map<string, Waiting>();
  readonly #inbox: string;
  readonly #endOfTurn = new EndOfTurn();
  #count = 0;

  constructor({ connection, prefix, makeHeaders, sealer }: NatsBusParts) {
    this.#connection = connection;
    this.#sealer = sealer;
    this.#prefix = prefix;
    this.#makeHeaders = makeHeaders;
    this.#inbox = `${prefix}.inbox.${crypto.randomUUID()}`;
    this.#listen(`${this.#inbox}.*`, (message, subject) => this.#answered(subject, message));
  }

  publish(subject: string, message: unknown): void {
    this.#send(`${this.#prefix}.${subject}`, message);
  }

  subscribe(subject: string, on: BusListener): () => void {
    return this.#listen(`${this.#prefix}.${subject}`, (message, _subject, replyTo) => {
      if (message === undefined) return;
      on(message, (answer) => void (replyTo !== undefined && this.#send(replyTo, answer)));
    });
  }

  request(subject: string, message: unknown, timeoutMs: number): Promise<unknown> {
    this.#count += 1;
    const reply = `${this.#inbox}.${this.#count}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(reply);
        reject(new NoAnswer(`no answer from ${subject} within ${timeoutMs} ms`));
      }, timeoutMs).unref();
      this.#waiting.set(reply, { resolve, reject, timer });
      this.#send(`${this.#prefix}.${subject}`, message, reply);
    });
  }

  /** Sends what waits for that, and closes the connection. */
  async close(): Promise<void> {
    await this.#endOfTurn.wait();
    // The library's own turn.
    await new Promise(setImmediate);
    await this.#connection.close();
  }

  #send(subject: string, message: unknown, reply?: string): void {
    const bytes = this.#sealer.seal(JSON.stringify(message), Buffer.from(subject));
    void this.#endOfTurn.wait().then(() => this.#publish(subject, bytes, reply));
  }

  #publish(subject: string, bytes: Buffer, reply: string | undefined): void {
    const connection = this.#connection;
    // What nobody can hear now would come late, all at once.
    if (connection.isClosed()) return;
    const parts = toParts(bytes, connection.info?.max_payload ?? DEFAULT_PAYLOAD);
    if (parts.length === 1) return connection.publish(subject, bytes, reply === undefined ? {} : { reply });
    this.#count += 1;
    for (const [index, part] of parts.entries()) {
      const headers = this.#makeHeaders();
      headers.set(PART, `${this.#inbox} ${this.#count} ${index} ${parts.length}`);
      connection.publish(subject, part, reply === undefined ? { headers } : { headers, reply });
    }
  }

  /** Hears whole messages; undefined is the one that says that nobody listens. */
  #listen(subject: string, on: (message: unknown, subject: string, replyTo: string | undefined) => void): () => void {
    const unfinished = new LRUCache<string, PartsReader>({ max: MOST_UNFINISHED });
    const subscription = this.#connection.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) return;
        if (isNobody(message)) return on(undefined, message.subject, undefined);
        const bytes = wholeOf(message, unfinished);
        if (bytes === undefined) return;
        const parsed = this.#open(bytes, message.subject);
        if (parsed !== undefined) on(parsed, message.subject, message.reply);
      },
    });
    return () => subscription.unsubscribe();
  }

  /** Anybody who may connect to NATS can send anything: what was not sent by a node is not heard. */
  #open(bytes: Uint8Array, subject: string): unknown {
    const { keyId } = this.#sealer;
    try {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      if (keyId !== undefined && keyIdOf(buffer) === undefined) return undefined;
      return JSON.parse(this.#sealer.open(buffer, Buffer.from(subject)));
    } catch {
      return undefined;
    }
  }

  #answered(subject: string, message: unknown): void {
    const waiting = this.#waiting.get(subject);
    if (waiting === undefined) return;
    this.#waiting.delete(subject);
    clearTimeout(waiting.timer);
    if (message === undefined) waiting.reject(new NoResponders('nobody listens'));
    else waiting.resolve(message);
  }
}

type Headers = ReturnType<typeof import('@nats-io/transport-node').headers>;

const DEFAULT_PAYLOAD = 1_048_576;
const NO_RESPONDERS = 503;

function isNobody({ data, headers }: Msg): boolean {
  return data.length === 0 && headers?.code === NO_RESPONDERS;
}

function wholeOf(message: Msg, unfinished: LRUCache<string, PartsReader>): Uint8Array | undefined {
  const part = message.headers?.get(PART) ?? '';
  if (part === '') return message.data;
  const [inbox, number, index, count] = part.split(' ');
  const id = `${inbox} ${number}`;
  const reader = unfinished.get(id) ?? new PartsReader();
  unfinished.set(id, reader);
  const bytes = reader.add({ index: Number(index), count: Number(count), bytes: message.data });
  if (bytes !== undefined) unfinished.delete(id);
  return bytes;
}
