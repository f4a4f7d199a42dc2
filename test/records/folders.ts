import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type RecordEvent, readRecord } from 'tiltyard/records';
import { temporaryFolder } from '../support/folder.ts';

/** A new folder that is gone after the test. */
export function newFolder(): string {
  return temporaryFolder('tiltyard-records-');
}

/** The paths of all records in a folder, sorted. */
export function recordsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(folder, name));
}

/** All events of a record. */
export async function eventsOf(file: string): Promise<RecordEvent[]> {
  const events: RecordEvent[] = [];
  for await (const event of readRecord(file)) events.push(event);
  return events;
}

/** The events of the only record in a folder. */
export async function onlyRecordIn(folder: string): Promise<RecordEvent[]> {
  const [file, ...others] = recordsIn(folder);
  if (file === undefined || others.length > 0) throw new Error(`there are ${others.length + 1} records in ${folder}`);
  return eventsOf(file);
}
