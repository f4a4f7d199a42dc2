import { hash } from 'node:crypto';
import type { WireBlock } from '../protocol/index.ts';
import type { CallEnding } from './call-ending.ts';

/** A hash of what a client was told: how a call ended, or the blocks of a prompt. */
export function toldDigest(told: CallEnding | readonly WireBlock[]): string {
  return hash('sha256', textOf(told), 'base64url').slice(0, CHARACTERS);
}

// 132 bits: nothing that happens by accident has the same.
const CHARACTERS = 22;

function textOf(told: CallEnding | readonly WireBlock[]): string {
  if (!('kind' in told)) return JSON.stringify(told);
  if (told.kind === 'returned') return told.json;
  const { code, message, promptContent } = told.failure;
  const outcome = told.kind === 'failed' ? told.outcome : told.kind;
  return JSON.stringify([outcome, code, message, promptContent ?? null]);
}
