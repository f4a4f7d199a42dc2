import type { Passage } from './reading.ts';

// Words of protocols and providers around what is said.
const FRAMES: ReadonlySet<string> = new Set([
  'kind',
  'type',
  'role',
  'id',
  'key',
  'status',
  'format',
  'mimeType',
  'name',
]);

/** The event of the first passage in which a text is said, whatever its case. */
export function findSaid(passages: readonly Passage[], text: string): number | undefined {
  const wanted = text.trim().toLowerCase();
  return passages.find((passage) => isSaid(passage, wanted))?.n;
}

function isSaid(value: unknown, wanted: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(wanted);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, each]) => !FRAMES.has(key) && isSaid(each, wanted));
}
