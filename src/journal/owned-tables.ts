import type { KeyChanges } from './backlog.ts';
import { toJournalError } from './full-disk.ts';
import { Fenced } from './journal.ts';
import { putChanges } from './put-changes.ts';
import type { Stores } from './stores.ts';
import { noteTabled, type TailName } from './tail-files.ts';

/** The tables of a journal, for as long as it belongs to this process. */
export class OwnedTables {
  readonly #stores: Stores;
  readonly #epoch: number;
  readonly #folder: string;

  constructor(stores: Stores, epoch: number, folder: string) {
    this.#stores = stores;
    this.#epoch = epoch;
    this.#folder = folder;
  }

  /** Whether nobody has taken over until now. */
  get isOurs(): boolean {
    const { environment, meta } = this.#stores;
    environment.resetReadTxn();
    // Asked for each batch of changes, so the owner itself is not read.
    return meta.doesExist('owner', this.#epoch);
  }

  /** What is told once somebody has. */
  get fenced(): Fenced {
    return new Fenced(`another process has taken over the journal ${this.#folder}`);
  }

  /** Makes changes, which are those of the tails up to `tail`; false if the journal is not ours any more, and then there are none. */
  async put(all: Iterable<KeyChanges>, tail: TailName): Promise<boolean> {
    const isOurs = await this.#asOwner(() => {
      for (const changes of all) putChanges(this.#stores, changes);
      noteTabled(this.#stores, tail);
    });
    // What is read from now on is what is there now.
    this.#stores.environment.resetReadTxn();
    return isOurs;
  }

  /** Resolves when everything up to here is on the disk. */
  get flushed(): Promise<boolean> {
    return this.#stores.environment.flushed;
  }

  /** Says that the owner is alive; false if that is another one. */
  beat(): Promise<boolean> {
    return this.#asOwner(() => void this.#stores.meta.put('beat', { at: Date.now() }, 0));
  }

  /** Gives the journal up, so that the next owner need not ask whether this one is alive. */
  async release(): Promise<void> {
    // The epoch stays: it never comes again.
    const released = this.#asOwner(() => void this.#stores.meta.put('owner', null, this.#epoch));
    // If it cannot be written, the next owner finds that this process is gone.
    await released.catch(() => {});
  }

  async #asOwner(change: () => void): Promise<boolean> {
    try {
      return await this.#stores.meta.ifVersion('owner', this.#epoch, change);
    } catch (thrown) {
      throw await toJournalError(thrown as Error, this.#folder);
    }
  }
}
