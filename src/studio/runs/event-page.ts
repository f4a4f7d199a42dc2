import { type RecordEvent, readRecord } from '../../records/index.ts';
import type { EventPage } from '../api.ts';

// A page must not wait for megabytes of what it may not show; one event is there whatever its size.
const MOST_CHARACTERS = 2 * 2 ** 20;
const MOST_EVENTS = 500;

/** Reads some events of a record: from a number on, and as many as fit; all of them for an export. */
export async function readEventPage(path: string, start: number, how: 'page' | 'all' = 'page'): Promise<EventPage> {
  const events: RecordEvent[] = [];
  let [at, size] = [0, 0];
  for await (const event of readRecord(path)) {
    if (at < start) {
      at += 1;
      continue;
    }
    if (how === 'page' && events.length > 0 && (events.length >= MOST_EVENTS || size > MOST_CHARACTERS))
      return { start, events, next: at };
    events.push(event);
    size += JSON.stringify(event).length;
    at += 1;
  }
  return { start, events, next: null };
}
