import { isObject, type JsonObject, type WireBlock, type WireImageBlock } from '../../protocol/index.ts';

/** The answer of a model's server is not what its API says. */
export class OddModelAnswer extends Error {
  override readonly name = 'OddModelAnswer';
}

/** A part of an answer that must be an object. */
export function objectIn(value: unknown, what: string): JsonObject {
  if (isObject(value)) return value as JsonObject;
  throw new OddModelAnswer(`the answer has no ${what}: ${(JSON.stringify(value) ?? 'undefined').slice(0, 200)}`);
}

/** A list of objects in an answer; none where there is no list. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? (value.filter((each) => isObject(each)) as JsonObject[]) : [];
}

/** A count in an answer; 0 where there is none. */
export function countIn(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/** Text in an answer; '' where there is none. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The images of a result, for APIs that take them elsewhere than text. */
export function imagesOf(blocks: readonly WireBlock[]): WireImageBlock[] {
  return blocks.filter((block) => block.type === 'image');
}

/** An image as a URL that holds it. */
export function toDataUrl({ data, mimeType }: WireImageBlock): string {
  return `data:${mimeType};base64,${data}`;
}

/** Text for a call that gave none: some APIs refuse empty results. */
export const NO_TEXT = '(no text)';

/** What stands in a tool's message whose picture comes after it. */
export const SEE_IMAGE = '(see the image below)';
