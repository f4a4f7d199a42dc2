import { join } from 'node:path';
import { type EventJson, type NewEnd, type PendingLines, RecordWriter, type StoredEvent } from '../../records/index.ts';
import { onDisk, type Segment } from './archive.ts';
import { textOf } from './batch.ts';
import type { Opening, PastCallFields, ReceivedEntry } from './messages.ts';

/** A record that is being written: events are collected, and written together. */
export class EpisodeRecord {
  readonly segment: Segment;
  readonly #writer: RecordWriter;
  /** The numbers of the events of calls that run, by the numbers of the calls. */
  readonly #calls = new Map<number, number>();
  /** The same by id, of those that an earlier server has left. */
  readonly #left = new Map<string, number>();
  /** Of a record that an earlier server has begun: what is added to it before anything else is. */
  #resumed: Resumed | undefined;
  /** How many events the disk did not take, and of how many of them what waits to be written says so. */
  #missing = 0;
  #noted = 0;
  /** What of the segment's bytes is its own. */
  #bytes: number;

  /** Begins a record in a segment, or goes on with the one that is there. All share `lines`: each is flushed before the next takes an event. */
  constructor(segment: Segment, lines: PendingLines, { name, episode, secrets, past }: Opening) {
    this.segment = segment;
    const ids = new Map<number, string>();
    this.#writer = RecordWriter.open(join(segment.path, `${name}.jsonl`), {
      blobs: segment.blobs,
      secrets,
      lines,
      existing: past === undefined ? 'refuse' : 'resume',
      onEvent: (event) => this.#learn(event, ids),
    });
    this.#bytes = onDisk(this.#writer.size);
    const isBegun = this.#writer.next > 0;
    try {
      if (!isBegun) this.#writer.add(episode);
    } catch (thrown) {
      // Nobody else knows of it yet.
      this.#writer.close();
      throw thrown;
    }
    if (past !== undefined) this.#resumed = { isBegun, past, known: new Set(ids.values()) };
  }

  /**
   * Whether it had ended before it was opened again: a server that was killed had written its end here, and nowhere else. Then it is
   * complete, and is not told a second end.
   */
  get isComplete(): boolean {
    return this.#resumed !== undefined && this.#writer.hasEnded;
  }

  /** How many events it has, with those that wait. */
  get count(): number {
    return this.#writer.next;
  }

  /** Adds what has to stand before an event: calls of an earlier server, and what is missing. */
  prepare(entry: ReceivedEntry): void {
    if (this.#resumed !== undefined) this.#resume(this.#resumed, entry);
    if (this.#missing > this.#noted) this.#noteGap(entry.at);
  }

  /** Takes an event that was prepared for; it is written by `flush`. */
  take(entry: ReceivedEntry): void {
    const { kind, at, call, start, middle, end } = entry;
    switch (kind) {
      case 'called':
        this.#addResult(this.#takeLeft(entry) ?? this.#add('call', entry, start, middle), entry, middle);
        break;
      case 'call':
        this.#calls.set(call, this.#takeLeft(entry) ?? this.#add('call', entry, start, end));
        break;
      case 'result':
        this.#takeResult(entry);
        break;
      case 'prompt':
      case 'note':
        this.#add(kind, entry, start, end);
        break;
      case 'suspend':
        this.#note(at, 'suspended: the server stops, and the episode goes on at the next one');
        break;
      case 'end':
        this.#writer.add(JSON.parse(textOf(entry)) as NewEnd);
    }
  }

  /** Writes what was taken; throws if there is no room or the disk does not take it, and then nothing of it is there. */
  flush(assertRoom: () => void): void {
    try {
      assertRoom();
      this.#writer.flush();
      this.#missing -= this.#noted;
    } finally {
      this.#noted = 0;
      this.#writer.close();
      // Of calls that were not written there are no results either.
      for (const [call, n] of this.#calls) if (n >= this.#writer.next) this.#calls.delete(call);
      this.#count();
    }
  }

  /** Counts events that could not be written. */
  miss(count: number): void {
    this.#missing += count;
  }

  #noteGap(at: number): void {
    this.#note(at, `${this.#missing - this.#noted} events before this one are missing: the disk did not take them`);
    this.#noted = this.#missing;
  }

  #count(): void {
    const bytes = onDisk(this.#writer.size);
    this.segment.bytes += bytes - this.#bytes;
    this.#bytes = bytes;
  }

  /** Says that it goes on, unless it only ends, and adds the calls of an earlier server that it had no time to write. */
  #resume({ isBegun, past, known }: Resumed, { kind, at }: ReceivedEntry): void {
    this.#resumed = undefined;
    if (isBegun && kind !== 'end') this.#note(at, 'goes on after a restart of the server');
    for (const { id, call, result, reward } of past) {
      const left = this.#left.get(id);
      if (known.has(id) && left === undefined) continue;
      const n = left ?? this.#writer.addJson({ type: 'call', at, ...whole(call) });
      this.#left.delete(id);
      this.#writer.addJson({ type: 'result', at, call: n, ...whole(result), reward });
    }
  }

  #takeResult(entry: ReceivedEntry): void {
    const n = this.#calls.get(entry.call);
    this.#calls.delete(entry.call);
    if (n !== undefined) this.#addResult(n, entry, entry.start);
  }

  #addResult(n: number, { at, bytes, end, reward, hasNoBlobs }: ReceivedEntry, start: number): void {
    const paid = Number.isNaN(reward) ? null : reward;
    this.#writer.addJson({ type: 'result', at, call: n, bytes, start, end, reward: paid, hasNoBlobs });
  }

  /** The number of a call that an earlier server has left and that runs again, if this is one. */
  #takeLeft(entry: ReceivedEntry): number | undefined {
    if (this.#left.size === 0) return undefined;
    const { bytes, start, middle } = entry;
    const { id } = JSON.parse(`{${bytes.toString('utf8', start, middle)}}`) as { readonly id: string };
    const n = this.#left.get(id);
    this.#left.delete(id);
    return n;
  }

  #add(type: EventJson['type'], { at, bytes, hasNoBlobs }: ReceivedEntry, start: number, end: number): number {
    return this.#writer.addJson({ type, at, bytes, start, end, hasNoBlobs });
  }

  #note(at: number, text: string): void {
    this.#writer.add({ type: 'note', at, text });
  }

  #learn(event: StoredEvent, known: Map<number, string>): void {
    if (event.type === 'call' && typeof event.id === 'string') {
      known.set(event.n, event.id);
      this.#left.set(event.id, event.n);
    } else if (event.type === 'result' && typeof event.call === 'number') {
      this.#left.delete(known.get(event.call) ?? '');
    }
  }
}

interface Resumed {
  /** Whether anything was in it. */
  readonly isBegun: boolean;
  /** The calls that had ended. */
  readonly past: readonly PastCallFields[];
  /** The ids of those that are in it. */
  readonly known: ReadonlySet<string>;
}

function whole(fields: string): Pick<EventJson, 'bytes' | 'start' | 'end'> {
  const bytes = Buffer.from(fields);
  return { bytes, start: 0, end: bytes.length };
}
