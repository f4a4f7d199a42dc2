import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

// What runs have beside their records.
const OTHER_LINES: ReadonlySet<string> = new Set(['plan.jsonl', 'episodes.jsonl']);

/** The records in a folder and in all folders below it: a server writes them one folder deeper than it was told. */
export function findRecords(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl') && !OTHER_LINES.has(basename(name)))
    .sort()
    .map((name) => join(folder, name));
}
