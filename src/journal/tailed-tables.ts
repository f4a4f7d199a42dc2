import type { Backlog, Step } from './backlog.ts';
import type { Frame } from './frames.ts';
import { toJournalError } from './full-disk.ts';
import type { OwnedTables } from './owned-tables.ts';
import type { Tail } from './tail.ts';
import type { TailName } from './tail-files.ts';

// Longer, and more changes of a key cost one page of the tables; shorter, and there is less to do at the next start.
const WAIT_MS = 200;

// So much may wait for the tables. Whatever comes then waits too, untold.
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Tables that get changes late, many at once. Until then the tail has them: a change counts as made when it is in the tail, and the journal
 * was still ours after that. A new owner takes over first and reads the tail then: what it does not find was never told.
 */
export class TailedTables {
  readonly backlog: Backlog;
  readonly #tables: OwnedTables;
  readonly #tail: Tail;
  readonly #folder: string;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #catchingUp: Promise<void> | undefined;
  /** The tail whose changes are on their way. */
  #leaving: TailName | undefined;
  #removing: Promise<void> = Promise.resolve();
  /** Why the tables are behind for longer than they should. */
  #failure: Error | undefined;

  constructor(folder: string, backlog: Backlog, tables: OwnedTables, tail: Tail) {
    this.#folder = folder;
    this.backlog = backlog;
    this.#tables = tables;
    this.#tail = tail;
  }

  /** Resolves when changes may be made: first the tables catch up if they could not, or are far behind. Rejects if they cannot. */
  async ready(): Promise<void> {
    if (this.#failure === undefined && this.backlog.bytes < MOST_BYTES) return;
    await this.catchUp();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Makes changes, one call after the other. Rejects if they cannot be made, and then none is; with `Fenced` if the journal is not ours any more. */
  async make(steps: readonly Step[]): Promise<void> {
    this.#writing = this.#write(steps);
    try {
      await this.#writing;
    } finally {
      this.#writing = undefined;
    }
    this.#catchUpSoon();
  }

  /** Puts what the tables do not have into them. If that fails, it is tried again before anything else is written. */
  catchUp(): Promise<void> {
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#catchingUp = undefined;
    });
    return this.#catchingUp;
  }

  /** Puts everything into the tables, if they can be written: otherwise the tail has it. */
  async close(): Promise<void> {
    await this.#catchingUp;
    do await this.catchUp();
    while (!this.backlog.isEmpty && this.#failure === undefined);
    clearTimeout(this.#timer);
    await this.#removing;
  }

  async #write(steps: readonly Step[]): Promise<void> {
    const writing = this.#tail.write(steps.map(({ change }) => change));
    const frames = await writing.catch(async (thrown: Error) => {
      throw await toJournalError(thrown, this.#folder);
    });
    if (!this.#tables.isOurs) throw this.#tables.fenced;
    for (const [index, step] of steps.entries()) this.backlog.add(step, frames[index] as Frame);
  }

  async #catchUp(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // What is being written is in the tail that would end.
    while (this.#writing !== undefined) await this.#writing.catch(() => {});
    if (this.backlog.isEmpty) return;
    this.#leaving ??= this.#tail.end();
    const put = this.#tables.put(this.backlog.leave().values(), this.#leaving);
    this.#failure = await put.then(
      (isOurs) => (isOurs ? undefined : this.#tables.fenced),
      (thrown) => thrown,
    );
    if (this.#failure !== undefined) return;
    this.backlog.arrived();
    this.#tail.freeEnded();
    this.#removeWhenFlushed(this.#leaving);
    this.#leaving = undefined;
    if (!this.backlog.isEmpty) this.#catchUpSoon();
  }

  #catchUpSoon(): void {
    this.#timer ??= setTimeout(() => void this.catchUp(), WAIT_MS).unref();
  }

  #removeWhenFlushed(ended: TailName): void {
    const remove = async () => {
      await this.#tables.flushed;
      await this.#tail.remove(ended);
    };
    // What stays is removed by the next owner.
    this.#removing = Promise.all([this.#removing, remove()]).then(
      () => {},
      () => {},
    );
  }
}
