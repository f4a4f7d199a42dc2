export { UnusableJournal } from './folder.ts';
export { Fenced, type Journal, type JournalEntry, JournalFull, type JournalRecord } from './journal.ts';
export { InvalidJournalKey, parseJournalKeys } from './journal-keys.ts';
export type { LmdbJournal } from './lmdb-journal.ts';
export { MemoryJournal } from './memory-journal.ts';
export { openJournal } from './open-journal.ts';
export { JournalInUse } from './owner.ts';
export { type JournalView, readJournal } from './read-journal.ts';
export { keyIdOf, Sealer } from './sealer.ts';
