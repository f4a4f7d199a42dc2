import { isObject } from '../protocol/index.ts';

/** What all lines of a record have. */
export interface StoredEvent {
  readonly n: number;
  readonly at: number;
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A line of a record; undefined if it is none, or not all of one. */
export function parseEvent(line: Buffer | string): StoredEvent | undefined {
  let event: unknown;
  try {
    event = JSON.parse(line.toString());
  } catch {
    return undefined;
  }
  const isEvent =
    isObject(event) && typeof event.type === 'string' && Number.isSafeInteger(event.n) && typeof event.at === 'number';
  return isEvent ? (event as unknown as StoredEvent) : undefined;
}

/** How every record begins. */
const START = '{"n":0,';

/** Whether these bytes may be all that is left of the first line of a record. */
export function isTornStart(line: Buffer): boolean {
  return START.startsWith(line.toString('latin1', 0, START.length));
}
