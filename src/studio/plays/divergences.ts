import { textOf, type WireBlock } from '../../protocol/index.ts';
import type { Divergence, Step } from '../api.ts';

// Sums of decimals differ in their last digits from machine to machine.
const TOLERANCE = 1e-9;

/** How a step that was played again differs from what it was before. */
export function divergencesOf(before: Step, now: Step): Divergence[] {
  const [was, is] = [failureOf(before), failureOf(now)];
  if (was !== is) return [{ what: 'failure', before: was, now: is }];
  if (before.result === null || now.result === null) return textDivergence(messageOf(before), messageOf(now));
  const [one, other] = [before.result, now.result];
  const divergences: Divergence[] = [];
  if (!isSame(one.reward, other.reward)) divergences.push({ what: 'reward', before: one.reward, now: other.reward });
  if (one.finished !== other.finished)
    divergences.push({ what: 'finished', before: one.finished, now: other.finished });
  divergences.push(...blockDivergences(one.blocks, other.blocks));
  if (JSON.stringify(one.metadata) !== JSON.stringify(other.metadata))
    divergences.push({ what: 'metadata', before: one.metadata, now: other.metadata });
  return divergences;
}

/** How blocks differ: in their text, or in the images between. */
export function blockDivergences(before: readonly WireBlock[], now: readonly WireBlock[]): Divergence[] {
  const [one, other] = [imagesOf(before), imagesOf(now)];
  const images: Divergence[] =
    one.join('\n') === other.join('\n') ? [] : [{ what: 'images', before: one.length, now: other.length }];
  return [...textDivergence(textOf(before, '\n'), textOf(now, '\n')), ...images];
}

function textDivergence(before: string, now: string): Divergence[] {
  return before === now ? [] : [{ what: 'text', before, now }];
}

function imagesOf(blocks: readonly WireBlock[]): string[] {
  return blocks.flatMap((block) => (block.type === 'image' ? [`${block.mimeType} ${block.data}`] : []));
}

function failureOf({ problem }: Step): string | null {
  return problem === null ? null : problem.kind;
}

function messageOf({ problem }: Step): string {
  return problem?.message ?? '';
}

function isSame(one: number | null, other: number | null): boolean {
  if (one === null || other === null) return one === other;
  return Math.abs(one - other) <= TOLERANCE * Math.max(1, Math.abs(one), Math.abs(other));
}
