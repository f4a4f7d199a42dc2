export { Fenced, type Journal, type JournalEntry, type JournalRecord } from './journal.ts';
