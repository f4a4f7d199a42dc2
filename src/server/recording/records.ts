import { Archive } from './archive.ts';
import { entriesOf, textOf } from './batch.ts';
import { EpisodeRecord } from './episode-record.ts';
import type { Opening, ReceivedEntry, Report, ThreadData, ToolsByEnvironment } from './messages.ts';

/** Writes batches into records. What the disk does not take is dropped and counted: episodes go on. */
export class Records {
  /** What each environment has: part of each record. */
  #tools: ToolsByEnvironment = new Map();
  readonly #archive: Archive;
  readonly #open = new Map<number, EpisodeRecord>();
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

  /** Writes a batch, and says what became of it. */
  write(batch: Uint8Array): Report {
    // How many events each session has to write.
    const taken = new Map<number, number>();
    for (const entry of entriesOf(batch)) {
      const { session, kind } = entry;
      if (!this.#take(entry)) continue;
      taken.set(session, (taken.get(session) ?? 0) + 1);
      if (kind !== 'end' && kind !== 'suspend') continue;
      this.#flush(session, taken.get(session) ?? 0);
      this.#close(session);
      taken.delete(session);
    }
    for (const [session, count] of taken) this.#flush(session, count);
    return this.#report();
  }

  /** Whether there is something to write now. */
  #take(entry: ReceivedEntry): boolean {
    if (entry.kind === 'open') return this.#begin(entry.session, this.#withTools(JSON.parse(textOf(entry)) as Opening));
    const record = this.#open.get(entry.session);
    // Its record could not be begun.
    if (record === undefined) return this.#drop(entry.session, 1);
    try {
      record.take(entry);
      return true;
    } catch (thrown) {
      // A blob that the disk does not take.
      this.#problem = (thrown as Error).message;
      return this.#drop(entry.session, 1);
    }
  }

  #begin(session: number, opening: Opening): boolean {
    try {
      this.#assertRoom();
      const earlier = opening.past && this.#archive.find(`${opening.name}.jsonl`);
      const segment = earlier ?? this.#archive.place();
      if (earlier === undefined) segment.files += 1;
      this.#open.set(session, new EpisodeRecord(segment, opening));
      segment.open += 1;
      return true;
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
      this.#assertRoom();
      record.flush();
      this.#written += count;
    } catch (thrown) {
      this.#problem = (thrown as Error).message;
      this.#drop(session, count);
    }
  }

  #assertRoom(): void {
    if (!this.#archive.makeRoom())
      throw new Error('the size limit is reached, and the episodes of all records are still going on');
  }

  #close(session: number): void {
    const record = this.#open.get(session);
    if (record !== undefined) record.segment.open -= 1;
    this.#open.delete(session);
  }

  #drop(session: number, count: number): false {
    this.#dropped += count;
    this.#open.get(session)?.miss(count);
    return false;
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
