import { isObject, type JsonObject, mostBytes, type WireBlock } from '../protocol/index.ts';
import { brand } from './brand.ts';
import { type Block, type Content, describe, isContent, problemOfBlock } from './content.ts';
import { nearestOf } from './known-keys.ts';
import { type OutputLimits, withinLimits } from './output-limits.ts';

/** What a step may say besides its content. */
export interface StepOptions {
  /** The reward of this step; leave it out where the step earns nothing and costs nothing. */
  reward?: number | null;
  /** True ends the episode: no further call runs. */
  finished?: boolean;
  /** Data for logs and analysis; agents usually do not see it. */
  metadata?: JsonObject | null;
}

/** What one call gives, with its reward; only step() makes one. */
export class Step {
  readonly blocks: readonly WireBlock[];
  readonly reward: number | null;
  readonly finished: boolean;
  readonly metadata: JsonObject | null;

  constructor(content: Content, options: StepOptions) {
    const { reward = null, finished = false, metadata = null } = options;
    for (const key in options) if (!OPTIONS.includes(key)) throw unknownOption(key);
    if (reward !== null && !(typeof reward === 'number' && Number.isFinite(reward)))
      throw new TypeError(`a reward must be a finite number or null, not ${describe(reward)}`);
    if (typeof finished !== 'boolean') throw new TypeError(`finished must be true or false, not ${describe(finished)}`);
    if (metadata !== null && !isObject(metadata))
      throw new TypeError(`metadata must be an object or null, not ${describe(metadata)}`);
    this.blocks = toBlocks(content);
    this.reward = reward;
    this.finished = finished;
    this.metadata = metadata;
    Object.freeze(this);
  }
}

const OPTIONS: readonly string[] = ['reward', 'finished', 'metadata'] satisfies (keyof StepOptions)[];

// Modules are served without a type check, and a reward under another name would be lost silently.
function unknownOption(key: string): TypeError {
  const near = nearestOf(OPTIONS, key);
  const advice = near === undefined ? `It takes ${OPTIONS.join(', ')}` : `Did you mean '${near}'?`;
  return new TypeError(`step() has no option '${key}'. ${advice}`);
}

/** What a tool returns to pay a reward or to end the episode. */
export function step(content: Content, options: StepOptions = {}): Step {
  return new Step(content, options);
}

const isBranded = brand(Step, 'step');

/** Whether a returned value was made by step(). A brand, not a shape: a tool that echoes JSON must not forge a reward. */
export function isStep(value: unknown): value is Step {
  return value instanceof Step || isBranded(value);
}

/** The blocks of an author's content, with every key the wire wants; a TypeError says which part is wrong. */
export function toBlocks(content: Content): WireBlock[] {
  if (typeof content === 'string') return [{ text: content, detail: null, type: 'text' }];
  if (!Array.isArray(content)) return [toWireBlock(content as Block)];
  return content.map(toWireBlock);
}

function toWireBlock(block: Block): WireBlock {
  const problem = problemOfBlock(block);
  if (problem !== undefined) throw new TypeError(problem);
  const detail = block.detail ?? null;
  return block.type === 'text'
    ? { text: block.text, detail, type: 'text' }
    : { data: block.data, mimeType: block.mimeType, detail, type: 'image' };
}

/** What the agent sees of a tool that returned nothing, which is most likely an oversight. */
export const NOTHING_TO_SEE: readonly WireBlock[] = toBlocks('');

/** What a tool returned, as the agent sees it. Throws a TypeError for values that cannot be sent. */
export function toToolOutput(value: unknown, limits?: OutputLimits): Step {
  const made = isStep(value) ? value : step(contentOf(value));
  const [first] = made.blocks;
  if (first === undefined) return { ...made, blocks: NOTHING_TO_SEE };
  // Most outputs are one text far below the limit, and counting bytes costs more than counting characters.
  const isShort = limits === undefined || (first.type === 'text' && mostBytes(first.text) <= limits.maxOutputBytes);
  if (isShort && made.blocks.length === 1) return made;
  return limits === undefined ? made : { ...made, blocks: withinLimits(made.blocks, limits) };
}

function contentOf(value: unknown): Content {
  if (typeof value === 'string' || isContent(value)) return value;
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
  const json = JSON.stringify(value);
  if (json === undefined)
    throw new TypeError(`a tool must return text, blocks, a JSON value or a step, not a ${typeof value}`);
  return json;
}
