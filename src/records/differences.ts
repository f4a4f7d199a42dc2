import { type JsonValue, textOf, type WireBlock } from '../protocol/index.ts';
import type { ToldResult } from './episode-types.ts';

/** Something that came out otherwise than it was recorded. */
export interface Difference {
  readonly what: 'failure' | 'reward' | 'finished' | 'text' | 'images' | 'metadata';
  readonly recorded: JsonValue;
  readonly now: JsonValue;
}

// Sums of decimals differ in their last digits from machine to machine.
const TOLERANCE = 1e-9;

/** How a call that was played again differs from what was recorded of it; what was not recorded is not compared. */
export function differencesOf(told: ToldResult | undefined, now: ToldResult): Difference[] {
  const { failure } = now;
  if (failure !== undefined) {
    // Where nothing was recorded a tool may say no; a tool that breaks, or is not there, is never what was meant.
    const isExpected = told === undefined ? failure.reason === 'tool_error' : told.failure?.reason === failure.reason;
    if (!isExpected)
      return [{ what: 'failure', recorded: recordedFailure(told), now: `${failure.reason}: ${failure.message}` }];
    return sameText(told?.failure?.message, failure.message ?? '');
  }
  if (told === undefined) return [];
  if (told.failure !== undefined) return [{ what: 'failure', recorded: recordedFailure(told), now: null }];
  const { reward, finished, blocks, metadata } = told;
  const result = { reward: null, finished: false, blocks: [], metadata: null, ...now };
  const differences: Difference[] = [];
  if (reward !== undefined && !isSame(result.reward, reward))
    differences.push({ what: 'reward', recorded: reward, now: result.reward });
  if (finished !== undefined && result.finished !== finished)
    differences.push({ what: 'finished', recorded: finished, now: result.finished });
  if (blocks !== undefined) differences.push(...blockDifferences(blocks, result.blocks));
  if (metadata !== undefined && JSON.stringify(metadata) !== JSON.stringify(result.metadata))
    differences.push({ what: 'metadata', recorded: metadata, now: result.metadata });
  return differences;
}

/** How blocks differ: in their text, or in the images between. */
export function blockDifferences(recorded: readonly WireBlock[], now: readonly WireBlock[]): Difference[] {
  const differences = sameText(textOf(recorded, '\n'), textOf(now, '\n'));
  const [before, after] = [imagesOf(recorded), imagesOf(now)];
  if (JSON.stringify(before) !== JSON.stringify(after))
    differences.push({ what: 'images', recorded: before.length, now: after.length });
  return differences;
}

function sameText(recorded: string | undefined, now: string): Difference[] {
  return recorded === undefined || recorded === now ? [] : [{ what: 'text', recorded, now }];
}

function imagesOf(blocks: readonly WireBlock[]): string[] {
  return blocks.flatMap((block) => (block.type === 'image' ? [`${block.mimeType} ${block.data}`] : []));
}

/** What was recorded instead of a result, in short; null if it succeeded, or nobody wrote that down. */
function recordedFailure(told: ToldResult | undefined): string | null {
  return told?.failure?.reason ?? null;
}

function isSame(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  return Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a), Math.abs(b));
}
