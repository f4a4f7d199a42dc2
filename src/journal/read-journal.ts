import { mkdir, readdir } from 'node:fs/promises';
import { keepPrivate, UnusableJournal } from './folder.ts';
import type { JournalEntry, JournalRecord } from './journal.ts';
import { openForReading } from './open-journal.ts';
import { isGone, lastBeat, type Owner, ownership } from './owner.ts';
import { Reader } from './reader.ts';
import { Sealer } from './sealer.ts';
import { copyTails, readTails } from './tail-files.ts';

/** A journal to look at, while its owner may write to it. */
export interface JournalView<Kept extends JournalRecord = JournalRecord> {
  /** The process that writes to it, if one has it open, or had when it ended. */
  readonly owner: Owner | undefined;
  /** Whether that process has certainly ended. */
  readonly isOwnerGone: boolean;
  /** When that was last known to be alive, in milliseconds since 1970. */
  readonly lastAlive: number | undefined;
  read(key: string): readonly Kept[];
  entries(): Iterable<JournalEntry<Kept>>;
  /** Writes a copy of how it is now into another folder, which must not exist or be empty. */
  backup(folder: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens a journal for reading. It takes nothing from its owner. */
export async function readJournal<Kept extends JournalRecord = JournalRecord>(
  folder: string,
  { keys = [] }: { readonly keys?: readonly Buffer[] } = {},
): Promise<JournalView<Kept>> {
  const sealer = new Sealer(keys);
  const stores = await openForReading(folder, sealer);
  const reader = new Reader<Kept>(stores, sealer, () => readTails(folder, stores));
  const { owner } = ownership(stores, folder);
  return {
    owner,
    isOwnerGone: owner !== undefined && isGone(owner),
    lastAlive: lastBeat(stores),
    read: (key) => reader.read(key),
    entries: () => reader.entries(),
    backup: async (to) => {
      await checkEmpty(to);
      copyTails(folder, to);
      await stores.environment.backup(to, true);
      keepPrivate(to);
    },
    close: () => stores.environment.close(),
  };
}

async function checkEmpty(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = await readdir(folder);
  if (names.length > 0) throw new UnusableJournal(`${folder} is not empty. Choose a new folder for the copy`);
}
