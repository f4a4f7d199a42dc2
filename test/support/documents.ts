import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatWithOptions } from 'node:util';
import { vi } from 'vitest';

/** The text of a file of the repository. */
export function readText(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** The paragraphs of the TypeScript that a document shows. */
export function paragraphsOf(document: string): string[] {
  const blocks = [...document.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block = '']) => block);
  return blocks.flatMap((block) => block.split('\n\n')).map(unindented);
}

/** A link of a document to a file of ours. */
export interface Link {
  /** From the folder that the document's own path begins in. */
  readonly path: string;
  readonly anchor: string | undefined;
}

const LINK = /\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?/g;

/** The links and pictures of a document that are files of ours, itself included. */
export function linksOf(document: string, text: string): Link[] {
  return [...text.matchAll(LINK)].map(([, path, anchor]) => ({
    path: path ? join(dirname(document), path) : document,
    anchor,
  }));
}

/** What links to the headings of a document end with, as GitHub makes it. */
export function anchorsOf(document: string): string[] {
  const text = document.replace(/^```.*?^```/gms, '');
  const counts = new Map<string, number>();
  return [...text.matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = '']) => {
    const anchor = toAnchor(heading);
    const before = counts.get(anchor) ?? 0;
    counts.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}

/** Where code stands in a function, a document leaves its indentation out. */
export function unindented(text: string): string {
  return text.replace(/^ +/gm, '').trim();
}

/** What code says that it prints: its comments `// => ...`. */
export function promisesOf(code: string): string[] {
  return [...code.matchAll(/\/\/ => (.*)$/gm)].map(([, line = '']) => line);
}

/** What a function prints, line by line. */
export async function printedBy(run: () => Promise<void>): Promise<string[]> {
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...values) => {
    printed.push(formatWithOptions({ breakLength: Number.POSITIVE_INFINITY }, ...values));
  });
  try {
    await run();
  } finally {
    log.mockRestore();
  }
  return printed;
}

function toAnchor(heading: string): string {
  const shown = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').trim();
  return shown
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}
