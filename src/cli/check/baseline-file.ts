import { readFile } from 'node:fs/promises';
import type { KnownFailure } from '../../checking/index.ts';
import { misuse } from '../shared/failure.ts';
import { whyUnreadable } from '../shared/unreadable.ts';

const FORM = `A baseline is a JSON list of ids, or of objects: ["ors/D7", {"id": "ors/G3", "note": "422 for 400"}]`;

/** Reads a file of known failures. */
export async function readBaseline(path: string): Promise<KnownFailure[]> {
  const text = await readFile(path, 'utf8').catch((thrown: Error) => {
    throw misuse(`the baseline ${path} ${whyUnreadable(thrown)}. Create one with --write-baseline ${path}`);
  });
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (thrown) {
    throw misuse(`the baseline ${path} is not JSON: ${(thrown as Error).message}. ${FORM}`);
  }
  if (!Array.isArray(list)) throw misuse(`the baseline ${path} is not a list. ${FORM}`);
  return list.map((entry) => {
    if (typeof entry === 'string') return { id: entry };
    if (isKnownFailure(entry)) return entry;
    throw misuse(`the baseline ${path} has an invalid entry: ${JSON.stringify(entry)}. ${FORM}`);
  });
}

function isKnownFailure(entry: unknown): entry is KnownFailure {
  return typeof entry === 'object' && entry !== null && 'id' in entry && typeof entry.id === 'string';
}
