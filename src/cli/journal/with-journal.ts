import { type JournalRecord, type JournalView, readJournal } from '../../journal/index.ts';
import { readJournalKeys } from '../shared/journal-keys.ts';

/** A record as this command sees it: it knows some fields by name, and shows the others as they are. */
export type AnyRecord = JournalRecord & Readonly<Record<string, unknown>>;

/** Opens a journal for reading, uses it, and closes it. */
export async function withJournal<T>(
  folder: string,
  use: (journal: JournalView<AnyRecord>) => T | Promise<T>,
): Promise<T> {
  const journal = await readJournal<AnyRecord>(folder, { keys: journalKeys() });
  try {
    return await use(journal);
  } finally {
    await journal.close();
  }
}

/** The keys in TILTYARD_JOURNAL_KEY; none if it is not set. */
export function journalKeys(): Buffer[] {
  return readJournalKeys(process.env.TILTYARD_JOURNAL_KEY);
}
