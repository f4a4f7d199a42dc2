import type { Answer } from '../recorder.ts';

/** An event as it was framed. */
export interface RawEvent {
  readonly event: string;
  /** Each `data:` line for itself, without the one space after the colon. */
  readonly dataLines: readonly string[];
  /** Whether a blank line ended it. */
  readonly isClosed: boolean;
}

/** A stream of events, taken apart without mercy. */
export interface EventStream {
  readonly events: readonly RawEvent[];
  /** Every line that is not blank, as it stood. */
  readonly lines: readonly string[];
}

/** Takes a body apart into events; comments are no events. */
export function toEventStream(text: string): EventStream {
  // What follows the last line end is a line only if something is there.
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  const events: RawEvent[] = [];
  let open: { event: string; dataLines: string[] } | undefined;
  for (const line of lines) {
    if (line === '') {
      if (open !== undefined) events.push({ ...open, isClosed: true });
      open = undefined;
      continue;
    }
    const [, field = line, value = ''] = /^([^:]*): ?(.*)$/su.exec(line) ?? [];
    if (field === '') continue;
    open ??= { event: 'message', dataLines: [] };
    if (field === 'event') open.event = value;
    else if (field === 'data') open.dataLines.push(value);
  }
  if (open !== undefined) events.push({ ...open, isClosed: false });
  return { events, lines: lines.filter((line) => line !== '') };
}

/** Whether an answer is a stream of events. */
export function isEventStream({ headers }: Answer): boolean {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}

/** The data of the first event of this name. */
export function dataOf({ events }: EventStream, name: string): string | undefined {
  return events.find(({ event }) => event === name)?.dataLines.join('\n');
}

/** The text of the result: that of all `chunk` events and of `end`, or undefined if there is no `end`. */
export function resultText({ events }: EventStream): string | undefined {
  const parts = events.filter(({ event }) => event === 'chunk' || event === 'end');
  if (parts.at(-1)?.event !== 'end') return undefined;
  return parts.map(({ dataLines }) => dataLines.join('\n')).join('');
}
