// Episodes and calls that outlive the process that runs them. Loaded only where there are workers or a journal.
export { CallJournal } from './call-journal.ts';
export { JournalKeeper } from './journal-keeper.ts';
export { KeptTools } from './kept-tools.ts';
export { recordJson } from './record-json.ts';
export type { CreateRecord, EpisodeRecord, OwnRecord, ServerRecord, ToolCallRecord } from './records.ts';
export { SecondChanceTools } from './second-chance-tools.ts';
