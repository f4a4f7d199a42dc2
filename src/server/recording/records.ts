import { PendingLines } from '../../records/index.ts';
import { Archive } from './archive.ts';
import { ReceivedBatch, textOf } from './batch.ts';
import { EpisodeRecord } from './episode-record.ts';
import type { Opening, ReceivedEntry, Report, ThreadData, ToolsByEnvironment } from './messages.ts';

/** Writes batches into records. What the disk does not take is dropped and counted: episodes go on. */
export class Records {
  /** What each environment has: part of each record. */
  #tools: ToolsByEnvironment = new Map();
  readonly #archive: Archive;
  readonly #open = new Map<number, EpisodeRecord>();
  /** Records are written one after the other, so all use the same memory. */
  readonly #lines = new PendingLines();
  #written = 0;
  #dropped = 0;
  #problem: string | undefined;

  constructor({ folder, maxBytes }: ThreadData) {
    this.#archive = new Archive(folder, maxBytes);
  }

  /** Says which tools each environment has. */
  describe(tools: ToolsByEnvironment): void {
    this.#tools = new Map(Array.from(tools, ([name, each]) => [name, Object.freeze([...each])]));
  }

  /** Shows that this server writes to its records: now and then, also if nothing happens. */
  beat(): void {
    this.#archive.beat();
  }

  /** Writes nothing more: servers elsewhere need not take its records for those of one that lives. */
  close(): void {
    this.#archive.leave();
  }

  /** Writes a batch, and says what became of it. */
  write(batch: Uint8Array): Report {
    const received = new ReceivedBatch(batch);
    for (const [session, places] of received.bySession()) this.#writeSession(session, received, places);
    return this.#report();
  }

  #writeSession(session: number, batch: ReceivedBatch, places: readonly number[]): void {
    let [events, isOver] = [0, false];
    for (const place of places) {
      const entry = batch.at(place);
      events += this.#take(entry);
      isOver ||= entry.kind === 'end' || entry.kind === 'suspend';
    }
    // Also if the disk took none of its events: what was added before them must not wait where the next record's lines go.
    if (events > 0 || isOver || !this.#lines.isEmpty) this.#flush(session, events);
    if (isOver) this.#close(session);
  }

  /** How many events there are to write now. */
  #take(entry: ReceivedEntry): number {
    const events = entry.kind === 'called' ? 2 : 1;
    if (entry.kind === 'open') return this.#begin(entry.session, this.#withTools(JSON.parse(textOf(entry)) as Opening));
    const record = this.#open.get(entry.session);
    // Its record could not be begun.
    if (record === undefined) return this.#drop(entry.session, events);
    if (entry.kind === 'end' && record.isComplete) return 0;
    let before = Number.POSITIVE_INFINITY;
    try {
      record.prepare(entry);
      before = record.count;
      record.take(entry);
      return events;
    } catch (thrown) {
      // A blob that the disk does not take.
      this.#problem = (thrown as Error).message;
      const taken = Math.max(0, Math.min(record.count - before, events - 1));
      this.#drop(entry.session, events - taken);
      return taken;
    }
  }

  #begin(session: number, opening: Opening): number {
    try {
      this.#assertRoom();
      const earlier = opening.past && this.#archive.find(`${opening.name}.jsonl`);
      const segment = earlier ?? this.#archive.place();
      if (earlier === undefined) segment.files += 1;
      const record = new EpisodeRecord(segment, this.#lines, opening);
      this.#open.set(session, record);
      segment.open += 1;
      return record.isComplete ? 0 : 1;
    } catch (thrown) {
      this.#problem = (thrown as Error).message;
      return this.#drop(session, 1);
    }
  }

  #withTools({ episode, ...opening }: Opening): Opening {
    return { ...opening, episode: { ...episode, tools: this.#tools.get(episode.environment) ?? [] } };
  }

  #flush(session: number, count: number): void {
    const record = this.#open.get(session);
    if (record === undefined) return;
    try {
      record.flush(() => this.#assertRoom());
      this.#written += count;
    } catch (thrown) {
      this.#problem = (thrown as Error).message;
      this.#drop(session, count);
    }
  }

  #assertRoom(): void {
    if (!this.#archive.makeRoom())
      throw new Error(
        'the size limit is reached, and all records are of episodes that go on, or of a server elsewhere that wrote a moment ago',
      );
  }

  #close(session: number): void {
    const record = this.#open.get(session);
    if (record !== undefined) record.segment.open -= 1;
    this.#open.delete(session);
  }

  #drop(session: number, count: number): 0 {
    this.#dropped += count;
    this.#open.get(session)?.miss(count);
    return 0;
  }

  #report(): Report {
    const [written, dropped, problem] = [this.#written, this.#dropped, this.#problem];
    this.#written = 0;
    this.#dropped = 0;
    this.#problem = undefined;
    const { bytes, deleted } = this.#archive;
    return { written, dropped, bytes, deleted, problem };
  }
}
