/** One event of a stream. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
}

/** The envelope of a call, as the wire has it. */
export type ResultEnvelope = { ok: boolean; output?: any; error?: string; reason?: string };

/** Parses a stream as the SSE standard says: one leading space is removed, comments are skipped. */
export function readEvents(text: string): SseEvent[] {
  return parse(text, (value) => (value.startsWith(' ') ? value.slice(1) : value));
}

/** Parses a stream as the official Python client does: all leading white space is removed from every value. */
export function readEventsLikePython(text: string): SseEvent[] {
  return parse(text, stripLikePython);
}

/** Joins `chunk` and `end` events into the envelope; undefined without an `end`. */
export function toResult(events: readonly SseEvent[]): ResultEnvelope | undefined {
  if (!events.some(({ event }) => event === 'end')) return undefined;
  const parts = events.filter(({ event }) => event === 'chunk' || event === 'end');
  return JSON.parse(parts.map(({ data }) => data).join('')) as ResultEnvelope;
}

// What Python's str.lstrip() removes.
const PYTHON_SPACE = /^[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

function stripLikePython(value: string): string {
  return value.replace(PYTHON_SPACE, '');
}

function parse(text: string, clean: (value: string) => string): SseEvent[] {
  const events: SseEvent[] = [];
  let event = '';
  let data: string[] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line === '') {
      if (event !== '') events.push({ event, data: data.join('\n') });
      event = '';
      data = [];
      continue;
    }
    if (line.startsWith(':')) continue;
    const colon = line.indexOf(':');
    if (colon < 0) throw new Error(`a line without a colon: ${JSON.stringify(line)}`);
    const value = clean(line.slice(colon + 1));
    if (line.startsWith('event:')) event = value;
    else if (line.startsWith('data:')) data.push(value);
  }
  return events;
}
