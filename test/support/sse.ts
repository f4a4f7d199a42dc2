/** One event of a stream. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
}

/** The envelope of a call, as the wire has it. */
export type ResultEnvelope = { ok: boolean; output?: any; error?: string; reason?: string };

/** Parses a stream as the SSE standard says: one leading space is removed, comments are skipped. */
export function readEvents(text: string): SseEvent[] {
  return parse(text, { lineBreak: SSE_LINE_BREAK, clean: stripOneSpace });
}

/** Parses a stream as the official Python client does: all leading white space is removed from every value. */
export function readEventsLikePython(text: string): SseEvent[] {
  return parse(text, { lineBreak: SSE_LINE_BREAK, clean: (value) => value.replace(PYTHON_LSTRIP, '') });
}

/** Parses a stream as the official SDK's tests do: white space goes from both ends of every value. */
export function readEventsStripped(text: string): SseEvent[] {
  return parse(text, { lineBreak: SSE_LINE_BREAK, clean: (value) => stripEnd(value.replace(PYTHON_LSTRIP, '')) });
}

/** Parses a stream over httpx, whose lines end wherever Python's str.splitlines() sees an end. */
export function readEventsLikeHttpx(text: string): SseEvent[] {
  return parse(text, { lineBreak: PYTHON_LINE_BREAK, clean: stripOneSpace });
}

/** What no payload may begin or end with: what Python's str.strip() removes and JSON may hold raw (requirement E6). */
export const STRIPPED: readonly string[] = [
  ...' \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a',
  ...'\u2028\u2029\u202f\u205f\u3000',
];

/** Joins `chunk` and `end` events into the envelope; undefined without an `end`. */
export function toResult(events: readonly SseEvent[]): ResultEnvelope | undefined {
  if (!events.some(({ event }) => event === 'end')) return undefined;
  return JSON.parse(toPayloads(events).join('')) as ResultEnvelope;
}

/** The data of the `chunk` and `end` events. */
export function toPayloads(events: readonly SseEvent[]): string[] {
  return events.filter(({ event }) => event === 'chunk' || event === 'end').map(({ data }) => data);
}

const SSE_LINE_BREAK = /\r\n|\n|\r/;
const PYTHON_LINE_BREAK = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

// What Python's str.lstrip() removes.
const PYTHON_LSTRIP = /^[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

interface Parsing {
  readonly lineBreak: RegExp;
  readonly clean: (value: string) => string;
}

function stripOneSpace(value: string): string {
  return value.startsWith(' ') ? value.slice(1) : value;
}

// Not by an expression that ends in $: it would try every run of white space in the text.
function stripEnd(value: string): string {
  let end = value.length;
  while (end > 0 && PYTHON_LSTRIP.test(value.charAt(end - 1))) end -= 1;
  return value.slice(0, end);
}

function parse(text: string, { lineBreak, clean }: Parsing): SseEvent[] {
  const events: SseEvent[] = [];
  let event = '';
  let data: string[] = [];
  for (const line of text.split(lineBreak)) {
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
