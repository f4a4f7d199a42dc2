import { isObject } from '../../../protocol/index.ts';
import type { HttpResponse } from '../load/http-response.ts';
import type { LoadProblem } from '../load/problem.ts';
import { toSessionProblem, toWords } from './answers.ts';

/** What an answer to a call says: that it went well, that it ended the episode as well, or what went wrong. */
export type CallOutcome = 'ok' | 'finished' | LoadProblem;

/** Checks the answer to a call: an event stream whose `end`, with the chunks before it, is a result. */
export function checkCall(response: HttpResponse): CallOutcome {
  if (response.status !== 200) return toSessionProblem(response);
  const text = response.body.toString('latin1');
  const stream = readSmall(text) ?? readStream(text);
  if (typeof stream !== 'string') return stream;
  // Most answers are settled here: reading the whole JSON of each would cost more than sending the request.
  if (!MAY_END.test(stream) && IS_OK.test(stream)) return 'ok';
  return checkResult(stream);
}

/** The id in an answer to POST /create_session, which is JSON or, from the official servers, events. */
export function toSid(body: Buffer): string | undefined {
  const text = body.toString('latin1');
  if (!/^\s*\{/.test(text)) return readEvents(text).find(({ name }) => name === 'task_id')?.data;
  const sent = parse(text);
  return isObject(sent) && typeof sent.sid === 'string' ? sent.sid : undefined;
}

const IS_OK = /^\s*\{\s*"ok"\s*:\s*true\b/;
// Quotes inside a text are escaped, so this can only be a key; it may be one of the metadata, hence the second look.
const MAY_END = /"finished"\s*:\s*true\b/;

interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

const END = 'event: end\ndata: ';

/** The JSON of the answer that most are: an id, and an `end` with all of it. Undefined: look closer. */
function readSmall(text: string): string | undefined {
  const at = text.indexOf(END);
  if (at < 0 || !text.endsWith('\n\n') || text.includes('event: chunk') || text.includes('event: error'))
    return undefined;
  const json = text.slice(at + END.length, -2);
  return json.includes('\n') ? undefined : json;
}

/** The JSON that a stream carries. */
function readStream(text: string): string | LoadProblem {
  let json = '';
  for (const { name, data } of readEvents(text)) {
    if (name === 'error') return { kind: 'tool', detail: toWords(data) };
    if (name === 'chunk') json += data;
    if (name === 'end') return json + data;
  }
  return { kind: 'cut', detail: "the event stream ended without an 'end' event" };
}

function readEvents(text: string): StreamEvent[] {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  // What follows the last empty line is no event: it was cut.
  return lines.split('\n\n').slice(0, -1).map(toEvent);
}

function toEvent(block: string): StreamEvent {
  let name = '';
  let data: string | undefined;
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) name = line.slice(6).trim();
    else if (line.startsWith('data:')) {
      const value = line.slice(line.startsWith('data: ') ? 6 : 5);
      data = data === undefined ? value : `${data}\n${value}`;
    }
  }
  return { name, data: data ?? '' };
}

function checkResult(json: string): CallOutcome {
  const result = parse(json);
  if (!isObject(result) || typeof result.ok !== 'boolean')
    return { kind: 'malformed', detail: `the 'end' event has no result: ${toWords(json)}` };
  if (!result.ok) return { kind: 'tool', detail: toWords(String(result.error ?? 'the tool failed without a message')) };
  return isObject(result.output) && result.output.finished === true ? 'finished' : 'ok';
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined; // told as an answer that has no result
  }
}
