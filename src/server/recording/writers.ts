import { createHash } from 'node:crypto';
import { readlinkSync, statSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { isStillRunning, startOf } from '../../core/index.ts';

// Who writes to which folder of records. Servers on the same machine see each other's processes; others show by the folder's time that
// they live.

// As Z-times sort, and with the process that writes it and its start, where that is known: another server may use the same folder. Then the
// place where that process id means something.
const SEGMENT_NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-(\d+)(?:_(\d+))?(?:-([0-9a-f]{8}))?-[0-9a-f]{4}$/;

/** How often a server shows which segments it writes to, and looks at those of others. */
export const BEAT_MS = 10_000;

// Who has not shown that for so long, by the clock of the one who looks, is gone.
const QUIET_MS = 6 * BEAT_MS;

// The same for what was not looked at before, by the clock of the one who wrote. Machines that share a folder do not have quite the same time.
const OLD_MS = 300_000;

/** The machine, and on Linux the container: in others the same process ids are those of other processes. */
const PLACE = createHash('sha256').update(`${hostname()} ${processSpace()}`).digest('hex').slice(0, 8);

/** Whether a folder has the name of a segment. */
export function isSegmentName(name: string): boolean {
  return SEGMENT_NAME.test(name);
}

/** What the name of a segment of this process says of its writer. */
export function thisWriter(): string {
  const started = startOf(process.pid);
  return `${started === null ? process.pid : `${process.pid}_${started}`}-${PLACE}`;
}

/** Shows servers elsewhere when this one has written to a segment. */
export function touch(path: string, at: Date): void {
  try {
    utimesSync(path, at, at);
  } catch {
    // It was deleted, which shows when it is written to.
  }
}

/** The servers elsewhere that write to the same folder: those whose processes cannot be seen from here. */
export class OtherWriters {
  /** What was seen of each segment. */
  readonly #seen = new Map<string, Sight>();

  /** Whether another process that lives may still write there. */
  mayWrite(path: string): boolean {
    const [, id, started = null, place = PLACE] = SEGMENT_NAME.exec(basename(path)) ?? [];
    if (place !== PLACE) return this.#isAlive(path);
    const pid = Number(id);
    return pid !== process.pid && isStillRunning(pid, started);
  }

  /** Looks at a segment, so that it is noticed when its writer has died. */
  watch(path: string): void {
    this.mayWrite(path);
  }

  forget(path: string): void {
    this.#seen.delete(path);
  }

  #isAlive(path: string): boolean {
    const touched = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? LEFT;
    if (touched === LEFT) return false;
    const now = performance.now();
    const before = this.#seen.get(path);
    const hasBeaten = before !== undefined && touched !== before.touched;
    const sight = before === undefined || hasBeaten ? { touched, at: now, hasBeaten } : before;
    this.#seen.set(path, sight);
    if (now - sight.at >= QUIET_MS) return false;
    return sight.hasBeaten || Date.now() - touched < OLD_MS;
  }
}

/** The time that a server leaves on a segment when it stops, in ms since 1970. */
export const LEFT = 0;

interface Sight {
  /** The time on the folder, by the clock of its writer. */
  readonly touched: number;
  /** When that was first seen. */
  readonly at: number;
  /** Whether it was another time before, earlier or later: clocks are set. */
  readonly hasBeaten: boolean;
}

function processSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return ''; // Not Linux.
  }
}
