import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/clock.ts';
import { temporaryFolder } from '../support/folder.ts';

// By files, because the code under test may run in another process.

/** Where a test watches an author's code, and lets it wait. */
export class Stage {
  readonly folder: string = temporaryFolder('tiltyard-host-');

  /** What the author's code has done so far, in order. */
  get trace(): string[] {
    const path = join(this.folder, TRACE);
    return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  }

  count(what: string): number {
    return this.trace.filter((line) => line === what).length;
  }

  /** Waits until the author's code has done this. */
  async reached(what: string): Promise<void> {
    await eventually(() => {
      if (this.count(what) === 0) throw new Error(`'${what}' is not in: ${this.trace.join(', ')}`);
    });
  }

  /** Lets code that waits at a gate go on. */
  open(gate: string): void {
    writeFileSync(join(this.folder, gate), '');
  }
}

const TRACE = 'trace';

/** Writes down what an author's code does. */
export function note(folder: string | undefined, what: string): void {
  if (folder !== undefined) appendFileSync(join(folder, TRACE), `${what}\n`);
}

/** Waits until the test opens a gate; rejects when the signal fires first. */
export async function waitAt(folder: string | undefined, gate: string, signal?: AbortSignal): Promise<void> {
  while (folder !== undefined && !existsSync(join(folder, gate))) await sleep(5, undefined, signal && { signal });
}
