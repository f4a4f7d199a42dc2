import { Fenced, type JournalRecord, type Sealer } from '../../journal/index.ts';
import { type Addition, type Chapter, type Entry, type SharedJournal, Unreachable } from '../shared-journal.ts';
import { EndOfTurn } from './end-of-turn.ts';
import type { JetStreamClient, JetStreamManager, StoredMsg } from './nats-library.ts';
import { PartsReader, toParts } from './parts.ts';

/** What a journal in JetStream is made from. */
export interface NatsJournalParts {
  readonly streams: JetStreamManager;
  readonly client: JetStreamClient;
  readonly makeHeaders: () => ReturnType<typeof import('@nats-io/transport-node').headers>;
  readonly stream: string;
  /** What subjects of episodes begin with. */
  readonly prefix: string;
  readonly sealer: Sealer;
  readonly maxPayload: () => number;
}

/** What stands in the header of each message. */
interface Head extends Omit<Entry, 'place' | 'position'> {
  /** From 0; only where there are several. */
  readonly part?: number;
  readonly parts?: number;
}

const HEAD = 'Tiltyard';
const APPEND_MS = 2_000;
const READ_MS = 5_000;

// What JetStream says when another message is the last one of a subject.
const WRONG_LAST_SEQUENCE: ReadonlySet<number> = new Set([10_071, 10_164]);
const NOT_FOUND = 10_037;

/** A journal in a stream of JetStream: one subject for each episode, and each append says after which message it comes. */
export class NatsJournal<Kept extends JournalRecord> implements SharedJournal<Kept> {
  readonly #parts: NatsJournalParts;
  readonly #endOfTurn = new EndOfTurn();

  constructor(parts: NatsJournalParts) {
    this.#parts = parts;
  }

  get isEncrypted(): boolean {
    return this.#parts.sealer.keyId !== undefined;
  }

  async last(place: string): Promise<Entry | undefined> {
    const { streams, stream } = this.#parts;
    try {
      // Not a direct get, which any replica may answer: this one is answered by the leader.
      const found = await streams.streams.getMessage(stream, { last_by_subj: this.#subjectOf(place) });
      return found === null ? undefined : toEntry(place, found.seq, found);
    } catch (thrown) {
      if (codeOf(thrown) === NOT_FOUND) return undefined;
      throw unreachable(thrown);
    }
  }

  async read(place: string): Promise<Chapter<Kept> | undefined> {
    const last = await this.last(place);
    if (last === undefined) return undefined;
    const records: Kept[] = [];
    const reader = new PartsReader();
    const seal = Buffer.from(place);
    for await (const message of this.#messages({ filter_subjects: this.#subjectOf(place) }, last.position)) {
      const { part = 0, parts = 1 } = headOf(message);
      const bytes = reader.add({ index: part, count: parts, bytes: message.data });
      if (bytes !== undefined) records.push(JSON.parse(this.#parts.sealer.open(toBuffer(bytes), seal)) as Kept);
    }
    return records.length === 0 ? undefined : { records, last };
  }

  async append(place: string, { record, ...head }: Addition<Kept>, after: number): Promise<number> {
    const sealed = this.#parts.sealer.seal(JSON.stringify(record), Buffer.from(place));
    const whole = { ...head, type: record.type, at: record.at };
    const pieces = toParts(sealed, this.#parts.maxPayload());
    if (pieces.length === 1) return this.#put(place, whole, sealed, after);
    let position = await this.#afterOwnParts(place, head.id, after);
    for (const [part, piece] of pieces.entries()) {
      const isLast = part === pieces.length - 1;
      const own = isLast ? whole : { ...whole, id: `${head.id} part`, type: 'part' };
      position = await this.#put(place, { ...own, part, parts: pieces.length }, piece, position);
    }
    return position;
  }

  async prune(place: string, before: number): Promise<void> {
    const { streams, stream } = this.#parts;
    try {
      await streams.streams.purge(stream, { filter: this.#subjectOf(place), seq: before });
    } catch (thrown) {
      throw unreachable(thrown);
    }
  }

  async *scan(): AsyncIterable<Entry> {
    const { prefix } = this.#parts;
    const options = { filter_subjects: `${prefix}.*`, deliver_policy: 'last_per_subject', headers_only: true } as const;
    const entries: Entry[] = [];
    // All at once: looking at them takes time, and NATS removes a consumer that nobody reads from.
    for await (const message of this.#messages(options)) {
      // What others have written there is not ours to touch.
      if (hasHead(message)) entries.push(toEntry(message.subject.slice(prefix.length + 1), message.seq, message));
    }
    yield* entries;
  }

  /** What was written of a record in parts before the connection was lost: it begins anew after that. */
  async #afterOwnParts(place: string, id: string, after: number): Promise<number> {
    const last = await this.last(place);
    return last?.id === `${id} part` ? last.position : after;
  }

  async #put(place: string, head: Head, bytes: Uint8Array, after: number): Promise<number> {
    const { client, makeHeaders } = this.#parts;
    const headers = makeHeaders();
    headers.set(HEAD, JSON.stringify(head));
    const expect = { lastSubjectSequence: after };
    await this.#endOfTurn.wait();
    try {
      const { seq } = await client.publish(this.#subjectOf(place), bytes, {
        headers,
        expect,
        timeout: APPEND_MS,
        retries: 0,
      });
      return seq;
    } catch (thrown) {
      if (WRONG_LAST_SEQUENCE.has(codeOf(thrown) ?? 0)) throw new Fenced('another record is the last one');
      throw unreachable(thrown);
    }
  }

  /** The messages that a consumer sees: up to a position, or as many as there are when it begins. */
  async *#messages(options: MessageOptions, upTo?: number): AsyncGenerator<ReadMessage> {
    const { client, stream } = this.#parts;
    let heardAt = performance.now();
    try {
      const consumer = await client.consumers.get(stream, { ...options, inactive_threshold: READ_MS });
      try {
        if (upTo === undefined && (await consumer.info()).num_pending === 0) return;
        for (;;) {
          try {
            const batch = await consumer.fetch({ max_messages: BATCH, expires: 1_000 });
            for await (const message of batch) {
              heardAt = performance.now();
              yield message;
              if (upTo === undefined ? message.info.pending === 0 : message.seq >= upTo) return;
            }
          } catch (thrown) {
            if (!isTooEarly(thrown)) throw thrown;
            await new Promise((resolve) => setTimeout(resolve, TOO_EARLY_MS));
          }
          if (performance.now() - heardAt > READ_MS) throw new Error('the last record is missing');
        }
      } finally {
        void consumer.delete().catch(() => {});
      }
    } catch (thrown) {
      throw unreachable(thrown);
    }
  }

  #subjectOf(place: string): string {
    return `${this.#parts.prefix}.${place}`;
  }
}

const BATCH = 500;

const TOO_EARLY_MS = 10;

/** Whether the server at the other end of the connection does not know the consumer yet that another one has just made. */
function isTooEarly(thrown: unknown): boolean {
  return (thrown as Error).message === 'no responders';
}

type MessageOptions = Parameters<JetStreamClient['consumers']['get']>[1] & object;
type ReadMessage = Pick<StoredMsg, 'subject' | 'seq' | 'data'> & {
  readonly headers?: StoredMsg['header'] | undefined;
  readonly header?: StoredMsg['header'] | undefined;
};

function hasHead({ headers, header }: Pick<ReadMessage, 'header' | 'headers'>): boolean {
  return (headers ?? header)?.has(HEAD) === true;
}

function headOf(message: Pick<ReadMessage, 'header' | 'headers'>): Head {
  const text = (message.headers ?? message.header)?.get(HEAD) ?? '';
  if (text === '') throw new Error('a message in the stream of the cluster was not written by tiltyard');
  return JSON.parse(text) as Head;
}

function toEntry(place: string, position: number, message: Pick<ReadMessage, 'header' | 'headers'>): Entry {
  const { node, epoch, id, type, at } = headOf(message);
  return { place, position, node, epoch, id, type, at };
}

function codeOf(thrown: unknown): number | undefined {
  const { code, cause } = thrown as { code?: unknown; cause?: { code?: unknown } };
  const found = typeof code === 'number' ? code : cause?.code;
  return typeof found === 'number' ? found : undefined;
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function unreachable(thrown: unknown): Error {
  if (thrown instanceof Fenced || thrown instanceof Unreachable) return thrown;
  return new Unreachable(`the journal of the cluster cannot be reached (${(thrown as Error).message})`, {
    cause: thrown,
  });
}
