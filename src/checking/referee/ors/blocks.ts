import { isObject } from '../../../protocol/index.ts';
import { insist } from '../probe.ts';

const KEYS = { text: ['text'], image: ['data', 'mimeType'] } as const;

/** Insists that a value is a block as it must be on the wire. */
export function insistBlock(block: unknown, what: string): void {
  insist(isObject(block), `${what} must be an object`);
  insist(block.type === 'text' || block.type === 'image', `\`type\` of ${what} must be text or image`);
  for (const key of KEYS[block.type]) insist(typeof block[key] === 'string', `\`${key}\` of ${what} must be a string`);
  insist('detail' in block, `${what} must have \`detail\`, null if there is none`);
  insist(block.detail === null || isObject(block.detail), `\`detail\` of ${what} must be an object or null`);
}
