import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { NotInstalled } from './needed.ts';

/** A disk of so many megabytes, for this test. */
export function smallDisk(megabytes: number): string {
  const disk = mkdtempSync(join(tmpdir(), 'tiltyard-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', disk], { stdio: 'pipe' });
  } catch (thrown) {
    rmSync(disk, { recursive: true });
    throw new NotInstalled(`only root may mount a small disk (${(thrown as Error).message.trim()})`, { cause: thrown });
  }
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', disk]);
    rmSync(disk, { recursive: true });
  });
  return disk;
}
