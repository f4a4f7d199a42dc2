import { isObject, type JsonObject, type WireBlock } from '../protocol/index.ts';
import { brand } from './brand.ts';
import { type Content, describe, toBlocks } from './content.ts';

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

  constructor(content: Content, { reward = null, finished = false, metadata = null }: StepOptions) {
    if (reward !== null && !(typeof reward === 'number' && Number.isFinite(reward))) {
      throw new TypeError(`a reward must be a finite number or null, not ${describe(reward)}`);
    }
    if (typeof finished !== 'boolean') throw new TypeError(`finished must be true or false, not ${describe(finished)}`);
    if (metadata !== null && !isObject(metadata)) {
      throw new TypeError(`metadata must be an object or null, not ${describe(metadata)}`);
    }
    this.blocks = toBlocks(content);
    this.reward = reward;
    this.finished = finished;
    this.metadata = metadata;
    Object.freeze(this);
  }
}

/** What a tool returns to pay a reward or to end the episode. */
export function step(content: Content, options: StepOptions = {}): Step {
  return new Step(content, options);
}

/** Whether a returned value was made by step(). A brand, not a shape: a tool that echoes JSON must not forge a reward. */
export const isStep: (value: unknown) => value is Step = brand(Step, 'step');
