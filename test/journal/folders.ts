import { join } from 'node:path';
import { temporaryFolder } from '../support/folder.ts';

/** Where a test may have a journal; it goes when the test has ended, and everything that the test started after this. */
export function newFolder(): string {
  return join(temporaryFolder('tiltyard-journal-'), 'journal');
}
