import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Where a test may have a journal; it goes when the test has ended, and everything that the test started after this. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tiltyard-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'journal');
}
