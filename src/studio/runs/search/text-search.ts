import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EpisodeLine, RUN_FILES, recordPath } from '../../../rollouts/index.ts';
import type { SearchProgress, TaskCell } from '../../api.ts';
import { LineTail } from '../line-tail.ts';
import type { RunIndex } from '../run-index.ts';
import { RecordTexts } from './record-texts.ts';
import { WantedText } from './wanted-text.ts';

// So long the studio does nothing else.
const TURN_MS = 8;
// A page asks twice a second while it waits; what nobody asks for any more is not worth reading on.
const ASKED_FOR_MS = 3_000;

/** A search for a text in the records of a run: it goes on while somebody asks for it, and what is found can be had meanwhile. */
export class TextSearch {
  readonly index: RunIndex;
  readonly wanted: WantedText;
  readonly #texts: RecordTexts;
  readonly #details: LineTail;
  /** By episode: the attempt whose record was read, negative if the text is in it, 0 if none was. */
  #attempts = new Int32Array(1024);
  #read = 0;
  /** Tasks that it was found in. */
  readonly #found = new Set<number>();
  #version = -1;
  #askedAt = 0;
  #running: Promise<void> | undefined;

  constructor(index: RunIndex, text: string) {
    this.index = index;
    this.wanted = new WantedText(text);
    this.#texts = new RecordTexts(this.wanted);
    this.#details = new LineTail(join(index.folder, RUN_FILES.episodes));
  }

  /** Goes on, or begins; resolves when all is read that there is, or nobody has asked for a while. */
  go(): Promise<void> {
    this.#askedAt = performance.now();
    if (this.#running === undefined && this.#version !== this.index.version)
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
      });
    return this.#running ?? Promise.resolve();
  }

  stop(): void {
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }

  get progress(): SearchProgress {
    return { read: this.#read, total: this.index.played };
  }

  has(task: number): boolean {
    return this.#found.has(task);
  }

  hasEpisode(episode: number): boolean {
    return (this.#attempts[episode] ?? 0) < 0;
  }

  /** Takes over what a search for a part of this text has shown: where that is not, this is not either. */
  narrow(part: TextSearch): void {
    this.#attempts = part.#attempts.map((attempt) => Math.max(0, attempt));
    this.#read = this.#attempts.reduce((sum, attempt) => sum + Math.min(1, attempt), 0);
  }

  get #isWanted(): boolean {
    return performance.now() - this.#askedAt < ASKED_FOR_MS;
  }

  async #run(): Promise<void> {
    const { version } = this.index;
    await this.#readDetails();
    await this.#readRecords();
    if (this.#isWanted) this.#version = version;
  }

  /** Why attempts did not finish is in one file, and read first. */
  async #readDetails(): Promise<void> {
    await this.#details.read(({ text }) => {
      if (!text.includes('"detail"') || !this.wanted.mayBeIn(text)) return;
      const { index, detail = '' } = JSON.parse(text) as EpisodeLine;
      if (this.wanted.isIn(detail)) this.#found.add(index);
    });
  }

  async #readRecords(): Promise<void> {
    let end = performance.now() + TURN_MS;
    for (const { task, cell } of this.#unread()) {
      const { episode, attempt } = cell;
      const isFound = this.#texts.areIn(recordPath(this.index.folder, episode, attempt));
      this.#note(episode, isFound ? -attempt : attempt);
      if (isFound) this.#found.add(task);
      if (performance.now() < end) continue;
      await nextTurn();
      if (!this.#isWanted) return;
      end = performance.now() + TURN_MS;
    }
  }

  *#unread(): Generator<Unread, void> {
    for (const { index: task, cells } of this.index.rows())
      for (const cell of cells)
        if (cell !== null && Math.abs(this.#attempts[cell.episode] ?? 0) !== cell.attempt) yield { task, cell };
  }

  #note(episode: number, attempt: number): void {
    if (episode >= this.#attempts.length) {
      const larger = new Int32Array(Math.max(episode + 1, this.#attempts.length * 2));
      larger.set(this.#attempts);
      this.#attempts = larger;
    }
    if (this.#attempts[episode] === 0) this.#read += 1;
    this.#attempts[episode] = attempt;
  }
}

interface Unread {
  readonly task: number;
  readonly cell: TaskCell;
}
