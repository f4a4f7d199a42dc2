// What the types below name of other entry points

export { taskHashOf } from '../core/index.ts';
export type { JsonObject, JsonValue, ToolSpec, WireBlock, WireImageBlock, WireTextBlock } from '../protocol/index.ts';
// What is in a record
export { type Appender, ThreadAppender } from './appender.ts';
export { BlobFolder, type BlobRef, PRIVATE_FILE, PRIVATE_FOLDER, readBlob } from './blobs.ts';
export { CommonValues } from './common-values.ts';
export { blockDifferences, type Difference, differencesOf } from './differences.ts';
// An episode as a whole
export type { RecordedCall, RecordedChoice, RecordedEpisode, ToldResult } from './episode-types.ts';
// Reading and writing
export type { EventHead } from './event-head.ts';
export {
  type CallEvent,
  type EndEvent,
  type EndedCallEvent,
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
export { findRecords } from './find-records.ts';
export type { StoredEvent } from './parse-event.ts';
export { type JsonFields, PendingLines } from './pending-lines.ts';
export { type PlacedDifference, type PlayedAgain, playAgain, type SecondPlay } from './play-again.ts';
export { blobFoldersOf, type ReadOptions, readRecord, readStoredRecord } from './read-record.ts';
export { RecordError } from './record-error.ts';
export { type EventJson, RecordWriter, type WriteOptions } from './record-writer.ts';
export { readEpisode } from './recorded-episode.ts';
export { RECORD_SCHEMA } from './schema.ts';
export { hasNoBlobs } from './stored-events.ts';
