import type { Durability } from '../../core/index.ts';
import type { JsonObject, ToolSpec } from '../../protocol/index.ts';
import type { Incidents } from './code-at-hand.ts';

/** What the lint has seen of one environment; rules judge it and ask nothing more. */
export interface Sample {
  /** What commands that can be run again call the server. */
  readonly server: string;
  readonly environment: string;
  /** The names of the secrets that its episodes began with. */
  readonly secrets: readonly string[];
  readonly splits: readonly SampledSplit[];
  readonly episodes: readonly SampledEpisode[];
  /** The calls that were made; none unless calls are allowed. */
  readonly calls: readonly MadeCall[];
  /** Why no more of them were made, if the server gave up. */
  readonly breakdown?: string;
  /** What came of building episodes again; undefined where nobody promises that, or the code is not at hand. */
  readonly again?: PlayedAgain | undefined;
  /** What its code did beside while it was looked at; undefined where nobody would hear of it. */
  readonly incidents?: Incidents | undefined;
  readonly rewardRange: RewardRange;
  /** Why there is nothing to judge. */
  readonly failure?: string;
}

/** What is wrong with episodes that were built again. */
export interface PlayedAgain {
  readonly durability: Durability;
  readonly problems: readonly string[];
}

/** The least and the most that a call may pay. */
export type RewardRange = readonly [min: number, max: number];

/** How many tasks of a split are listed: that is cheap, and doubles are found only among them. */
export const SCANNED = 100;

/** A split, and as many of its tasks as were looked at. */
export interface SampledSplit {
  readonly name: string;
  readonly type: string;
  /** What num_tasks says. */
  readonly count: number;
  /** The tasks from the first on. */
  readonly first: readonly JsonObject[];
  /** How many tasks a range from the last one gives, and one from beyond it. */
  readonly atEnd: { readonly last: number; readonly beyond: number };
  /** Why its tasks could not be read. */
  readonly failure?: string;
}

/** A task's place. */
export interface Place {
  readonly split: string;
  readonly index: number;
}

/** A task, and two episodes of it. */
export interface SampledEpisode extends Place {
  readonly task: JsonObject;
  readonly readings: readonly Reading[];
}

/** What an agent reads first, or why it cannot. */
export type Reading =
  | { readonly isRead: true; readonly text: string; readonly prompt: string; readonly tools: readonly ToolSpec[] }
  | { readonly isRead: false; readonly failure: string; readonly blamed?: Blamed | undefined };

/** What of an environment failed; unknown where a server does not tell. */
export type Blamed = 'task' | 'setup' | 'prompt';

/** A call, why it was made, and what came of it. */
export interface MadeCall extends Place {
  readonly tool: string;
  readonly input: JsonObject;
  readonly purpose: 'valid' | 'edge' | 'invalid' | 'paid' | 'repeat' | 'walk';
  readonly outcome: SampledOutcome;
}

/** What came of a call. */
export type SampledOutcome =
  | {
      readonly kind: 'result';
      readonly reward: number | null;
      readonly finished: boolean;
      /** Whether the agent was told nothing: no text, no image. */
      readonly isEmpty: boolean;
    }
  | { readonly kind: 'refused' | 'crashed' | 'silent' | 'mispaid'; readonly message: string };

/** What was read of an episode, the first time. */
export function firstReading({ readings }: SampledEpisode): Extract<Reading, { isRead: true }> | undefined {
  const [first] = readings;
  return first?.isRead ? first : undefined;
}

/** A place as people write it. */
export function showPlace({ split, index }: Place): string {
  return `${split}[${index}]`;
}
