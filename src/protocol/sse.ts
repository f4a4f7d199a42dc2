import { CHUNK_BYTES, fitsChunk, toEscape, writeChunk } from './chunks.ts';
import { cutText } from './cut-text.ts';
import type { JsonObject } from './json.ts';
import type { GivenOutput, WireBlock } from './ors.ts';
import { isOutcome, type Outcome } from './outcome.ts';

/** A comment line: keeps a quiet stream alive, and no parser takes it for an event. */
export const PING = ': ping\n\n';

// An error stays below 64 KB, far from the 128 KB at which aiohttp gives up on a line. The dearest character is a line
// break: it is written as the seven bytes of an empty `data:` line.
const MAX_ERROR_CHARACTERS = 9_000;

/** The first event of a stream: the id under which a client can come back for the result. */
export function encodeTaskId(id: string): string {
  return `event: task_id\ndata: ${id}\n\n`;
}

/**
 * A result as the JSON text that is kept and sent, `withoutLineBreaks`. Written piece by piece: nearly every call ends with one, and a
 * walk of the object costs twice as much. Most have no metadata and no detail, and asking JSON for these, or for a number, takes as
 * long as all the rest.
 */
export function resultJson({ blocks, metadata, reward, finished }: GivenOutput, quote: Quote = JSON.stringify): string {
  const content = blocks.map((block) => blockJson(block, quote)).join(',');
  const paid = `"metadata":${metadata === null ? 'null' : objectJson(metadata)},"reward":${Number.isFinite(reward) ? reward : 'null'}`;
  return withoutLineBreaks(`{"ok":true,"output":{"blocks":[${content}],${paid},"finished":${finished}}}`);
}

/** From so many characters on, there are faster ways to write a text as JSON than JSON.stringify. */
export const LARGE_TEXT: number = 2_000;

/** Writes a large text as JSON. */
export type Quote = (text: string) => string;

function blockJson(block: WireBlock, quote: Quote): string {
  const detail = block.detail === null ? 'null' : objectJson(block.detail);
  const content = block.type === 'text' ? block.text : block.data;
  const json = content.length < LARGE_TEXT ? JSON.stringify(content) : quote(content);
  if (block.type === 'text') return `{"text":${json},"detail":${detail},"type":"text"}`;
  return `{"data":${json},"mimeType":${JSON.stringify(block.mimeType)},"detail":${detail},"type":"image"}`;
}

function objectJson(value: JsonObject): string {
  const json: string | undefined = JSON.stringify(value);
  // It may have a toJSON of its own.
  if (json === undefined || !json.startsWith('{')) throw new TypeError('metadata and details must be JSON objects');
  return json;
}

/** The whole result as events, when it fits into one; small answers take this path. */
export function encodeSmallResult(json: string): string | undefined {
  if (json.length > CHUNK_BYTES) return undefined;
  const text = withoutLineBreaks(json);
  // Most need no count.
  return mostBytes(text) <= CHUNK_BYTES || fitsChunk(text) ? `event: end\ndata: ${text}\n\n` : undefined;
}

/** The most bytes that a text can take in UTF-8: three for each UTF-16 unit. Much cheaper than counting them. */
export function mostBytes(text: string): number {
  return text.length * 3;
}

// Some clients split lines on these three although SSE does not, so they never travel raw.
const LINE_BREAKS = /[\u0085\u2028\u2029]/g;

/**
 * The same JSON without the characters that some clients take for line breaks. Do this first for a text that is kept and
 * sent to several clients, so that they share one copy.
 */
export function withoutLineBreaks(json: string): string {
  // Looked for one by one, which is a search of memory; a pattern looks at every character, and finds nothing almost always.
  const has = json.includes('\u0085') || json.includes('\u2028') || json.includes('\u2029');
  return has ? json.replace(LINE_BREAKS, toEscape) : json;
}

/**
 * How much of a large result is made at a time. Events are 4 KB; larger writes cost fewer turns and system calls (with 64 KB, a
 * result of 1 MB took a seventh longer), and this much is held back for a slow reader at the most.
 */
export const PIECE_BYTES: number = 256 * 1024;

const encoder = new TextEncoder();
const CHUNK = encoder.encode('event: chunk\ndata: ');
const END = encoder.encode('event: end\ndata: ');
const BLANK_LINE = encoder.encode('\n\n');
const EVENT_BYTES = CHUNK.length + CHUNK_BYTES + BLANK_LINE.length;

/** Gives room for so many bytes at least, whatever is in it. */
export type RoomFor = (bytes: number) => Uint8Array;

function newRoom(bytes: number): Uint8Array {
  return new Uint8Array(bytes);
}

/**
 * The result as `chunk` events and one `end`, in pieces of many events each, which are made as they are asked for so that a slow
 * reader costs no memory. As bytes: to write text means to encode it again, which takes as long as all of this.
 */
export function* encodeResult(json: string, roomFor: RoomFor = newRoom): Generator<Uint8Array, void, undefined> {
  const text = withoutLineBreaks(json);
  let start = 0;
  do {
    const piece = roomFor(Math.min(PIECE_BYTES, bytesFor(text.length - start)));
    let length = 0;
    do {
      const event = piece.subarray(length);
      const { end, bytes } = writeChunk(text, start, event.subarray(CHUNK.length));
      length += end < text.length ? frameChunk(event, bytes) : frameEnd(event, bytes);
      start = end;
    } while (start < text.length && length + EVENT_BYTES <= piece.length);
    yield piece.subarray(0, length);
  } while (start < text.length);
}

/** Enough for one event at least, and for all of them if few are cut short: otherwise there is one more piece. */
function bytesFor(characters: number): number {
  const mostBytes = characters * 3;
  return Math.max(1, Math.ceil(mostBytes / CHUNK_BYTES)) * EVENT_BYTES;
}

/** Puts the rest of an event around its payload; gives its length. */
function frameChunk(event: Uint8Array, bytes: number): number {
  event.set(CHUNK);
  event.set(BLANK_LINE, CHUNK.length + bytes);
  return CHUNK.length + bytes + BLANK_LINE.length;
}

/** The same for the last event, of which it is known only now that it is the last; its name is shorter. */
function frameEnd(event: Uint8Array, bytes: number): number {
  event.copyWithin(END.length, CHUNK.length, CHUNK.length + bytes);
  event.set(END);
  event.set(BLANK_LINE, END.length + bytes);
  return END.length + bytes + BLANK_LINE.length;
}

const OUTCOME_COMMENT = 'outcome ';
const CODE_COMMENT = 'code ';

/** What programs can know of a call that has no result. */
export interface ErrorFacts {
  readonly outcome?: Outcome | undefined;
  /** The code of the error; left out where the tool failed. */
  readonly code?: string | undefined;
}

/**
 * The last event of a call that has no result; a message of several lines becomes several `data:` lines. It means that the tool
 * failed, as `env_error`; what else it may be is told in comments before it, because all of its text is the message.
 */
export function encodeError(message: string, { outcome = 'env_error', code }: ErrorFacts = {}): string {
  const text = cutText(message, MAX_ERROR_CHARACTERS, ` [cut, ${message.length} characters in all]`);
  const lines = text.split(/\r\n|[\n\r\u0085\u2028\u2029\v\f\x1c-\x1e]/);
  const outcomeComment = outcome === 'env_error' ? '' : `: ${OUTCOME_COMMENT}${outcome}\n\n`;
  const codeComment = code === undefined ? '' : `: ${CODE_COMMENT}${code}\n\n`;
  return `${outcomeComment}${codeComment}event: error\n${lines.map((line) => `data: ${line}\n`).join('')}\n`;
}

/** The code that a comment tells, if it tells one. */
export function codeIn(comment: string): string | undefined {
  const text = comment.trim();
  return text.startsWith(CODE_COMMENT) ? text.slice(CODE_COMMENT.length) : undefined;
}

/** The outcome that a comment tells, if it tells one. */
export function outcomeIn(comment: string): Outcome | undefined {
  const text = comment.trim();
  const outcome = text.startsWith(OUTCOME_COMMENT) ? text.slice(OUTCOME_COMMENT.length) : undefined;
  return isOutcome(outcome) ? outcome : undefined;
}
