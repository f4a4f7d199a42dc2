import { isObject, type JsonObject } from '../protocol/index.ts';

/** A piece of text in a prompt or a tool's output. */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  readonly detail?: JsonObject | null;
}

/** An image in a prompt or a tool's output, base64 in `data`. */
export interface ImageBlock {
  readonly type: 'image';
  readonly data: string;
  readonly mimeType: string;
  readonly detail?: JsonObject | null;
}

/** What agents see: text or an image. */
export type Block = TextBlock | ImageBlock;

/** What an author may give where blocks are wanted. */
export type Content = string | Block | readonly Block[];

/** Makes a text block; a plain string does the same where no detail is needed. */
export function text(value: string, detail: JsonObject | null = null): TextBlock {
  return { type: 'text', text: value, detail };
}

/** Makes an image block from bytes, or from base64 text. */
export function image(data: Uint8Array | string, mimeType: string, detail: JsonObject | null = null): ImageBlock {
  return { type: 'image', data: typeof data === 'string' ? data : toBase64(data), mimeType, detail };
}

/** Whether a value is a block in every field, so that a tool may return one bare. */
function isBlock(value: unknown): value is Block {
  return isObject(value) && problemOfBlock(value) === undefined;
}

/** Whether a value is blocks: a bare one, or a list with nothing else in it. */
export function isContent(value: unknown): value is Block | readonly Block[] {
  return Array.isArray(value) ? value.length > 0 && value.every(isBlock) : isBlock(value);
}

/** What is wrong with a block; undefined if nothing is. */
export function problemOfBlock(block: unknown): string | undefined {
  if (!isObject(block)) return `a block must be an object made by text() or image(), not ${describe(block)}`;
  const { type, detail } = block;
  if (detail !== undefined && detail !== null && !isObject(detail)) {
    return `the detail of a block must be an object or null, not ${describe(detail)}`;
  }
  if (type === 'text') {
    return typeof block.text === 'string' ? undefined : `a text block needs a string, not ${describe(block.text)}`;
  }
  if (type !== 'image') return `a block's type must be 'text' or 'image', not ${describe(type)}`;
  return typeof block.data === 'string' && typeof block.mimeType === 'string'
    ? undefined
    : 'an image block needs `data` (base64) and `mimeType`, both strings';
}

/** A value in an error message: its kind, and the value itself where that is short. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
    case 'object':
      return 'an object';
    case 'function':
      return 'a function';
    case 'undefined':
      return 'nothing';
    default:
      return String(value);
  }
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
