import { createReadStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { RECORD_VERSION, type RecordEvent } from './events.ts';
import { LineSplitter } from './lines.ts';
import { isTornStart, parseEvent, type StoredEvent } from './parse-event.ts';
import { RecordError } from './record-error.ts';
import { fromStored } from './stored-values.ts';

/** How a record is read. */
export interface ReadOptions {
  /** Where its blobs are. Default: `blobs/` beside the record, or beside the folder that it is in. */
  readonly blobs?: string;
}

/**
 * Reads a record, event by event, with only one of them in memory. A last line that is not whole is left out: its writer was killed,
 * or is still writing.
 */
export async function* readRecord(path: string, options: ReadOptions = {}): AsyncGenerator<RecordEvent, void> {
  yield* eventsIn(createReadStream(path), path, options);
}

/** The same without the contents of blobs: where something large was, there is a reference to it (`BlobRef`). */
export async function* readStoredRecord(path: string): AsyncGenerator<StoredEvent, void> {
  yield* storedEventsIn(createReadStream(path), path);
}

/** The bytes of a file, in order. */
type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>;

/** The events in the bytes of a record; `path` says where they are from. */
export async function* eventsIn(
  chunks: Chunks,
  path: string,
  { blobs }: ReadOptions = {},
): AsyncGenerator<RecordEvent, void> {
  const folders = blobs === undefined ? blobFoldersOf(path) : [blobs];
  for await (const event of storedEventsIn(chunks, path)) yield fromStored(event, folders) as RecordEvent;
}

async function* storedEventsIn(chunks: Chunks, path: string): AsyncGenerator<StoredEvent, void> {
  const splitter = new LineSplitter();
  let count = 0;
  let torn: Buffer | undefined;
  for await (const chunk of chunks) {
    for (const line of splitter.push(chunk)) {
      if (torn !== undefined) throw notAnEvent(path, count, torn);
      const event = parseEvent(line);
      if (event === undefined) {
        torn = line;
        continue;
      }
      if (count === 0) assertReadable(path, event);
      count += 1;
      yield event;
    }
  }
  // Without its line break the last line is not whole, whatever it looks like: who goes on with the record cuts it off.
  const { rest } = splitter;
  const isRecord = count > 0 || (torn === undefined && isTornStart(rest));
  if (!isRecord || (torn !== undefined && rest.length > 0)) throw notAnEvent(path, count, torn ?? rest);
}

/** Where the blobs of a record may be. */
export function blobFoldersOf(path: string): string[] {
  const folder = dirname(path);
  return [join(folder, 'blobs'), join(dirname(folder), 'blobs')];
}

function assertReadable(path: string, { type, v }: StoredEvent): void {
  if (type !== 'episode' || typeof v !== 'number')
    throw new RecordError(path, "is not a record: its first event is not of type 'episode'");
  if (v > RECORD_VERSION)
    throw new RecordError(
      path,
      `is a record of version ${v}, and this tiltyard reads versions up to ${RECORD_VERSION}. Use a newer one`,
    );
}

function notAnEvent(path: string, count: number, line: Buffer): RecordError {
  const shown = line.toString('utf8', 0, 60);
  return new RecordError(path, `is not a record, or is damaged: line ${count + 1} is not an event: ${shown}`);
}
