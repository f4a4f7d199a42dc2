import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * A new folder, which goes when the test ends. A killed command may leave a child that still tears its sessions down,
 * and writes into the folder while it is being emptied: that is tried again.
 */
export function temporaryFolder(prefix: string, parent: string = tmpdir()): string {
  const folder = mkdtempSync(join(parent, prefix));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
