import { readFileSync } from 'node:fs';
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
