// Episodes that outlive the process that runs them. Loaded only where there are workers or a journal.
export { JournalKeeper } from './journal-keeper.ts';
export type { EpisodeRecord } from './records.ts';
