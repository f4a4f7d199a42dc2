// What is in a record
export { BlobFolder, type BlobRef, PRIVATE_FILE, PRIVATE_FOLDER, readBlob } from './blobs.ts';
export {
  type CallEvent,
  type EndEvent,
  type EpisodeEvent,
  FAULTS,
  type FailedEvent,
  type Fault,
  type MessageEvent,
  type ModelCall,
  type NewEnd,
  type NewEpisode,
  type NewEvent,
  type NoteEvent,
  type NumberedEvent,
  type PromptEvent,
  RECORD_VERSION,
  type RecordEvent,
  type RecordedFailure,
  type Recorder,
  type ResultEvent,
  type ReturnedEvent,
  type RewardSummary,
  STOPS,
  type Stop,
  type TokenUsage,
} from './events.ts';
export type { StoredEvent } from './parse-event.ts';
// Reading and writing
export { blobFoldersOf, type ReadOptions, readRecord, readStoredRecord } from './read-record.ts';
export { RecordError } from './record-error.ts';
export { RecordWriter, type WriteOptions } from './record-writer.ts';
export { RECORD_SCHEMA } from './schema.ts';
export { taskHashOf } from './task-hash.ts';
