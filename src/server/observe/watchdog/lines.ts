import { writeSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Culprit, RunningCode } from './board.ts';

/** What code of an author is, for a message. */
export function nameOf({ part, environment, tool }: RunningCode): string {
  const where = environment === '' ? '' : ` of environment '${environment}'`;
  if (part === 'tool') return `tool '${tool}'${where}`;
  if (part === 'input') return `the check of the input of tool '${tool}'${where}`;
  return `${part}${where}`;
}

/** What code of an author is, as fields of the log: the same as in the line of a call. */
export function fieldsOf({ part, environment, tool, sid, call }: RunningCode): Record<string, string> {
  const fields = { part, sid, environment, [sid === '' ? 'callId' : 'taskId']: call, tool };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}

/** Who it was, for a message: ` by ...`, or nothing. */
export function byWhom({ code, isCertain }: Culprit): string {
  if (code === undefined) return '';
  return isCertain ? ` by ${nameOf(code)}` : `, most likely by ${nameOf(code)}`;
}

/** A time in seconds, for a message. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Levels as pino numbers them. */
export const LEVELS = { warn: 40, error: 50 } as const;

/** Where lines go that no logger can write: its thread is blocked, or the process ends. */
export interface LineOutput {
  /** A file descriptor. */
  readonly fd: number;
  /** Lines below are not written. */
  readonly level: number;
}

/** Writes a line in the form of the log, at once. */
export function writeLine({ fd, level: least }: LineOutput, level: number, fields: object, msg: string): void {
  if (level < least) return;
  const origin = { level, time: Date.now(), pid: process.pid, hostname: hostname() };
  const line = JSON.stringify({ ...origin, ...fields, msg }).replace(UNPRINTABLE, toEscape);
  writeAll(fd, Buffer.from(`${line}\n`));
}

// Terminals obey some of these, and JSON leaves them as they are.
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029]/g;

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const RETRIES = 100;
const RETRY_MS = 10;

/** Writes all of it, also to a pipe whose reader is slow, but does not wait for ever. */
function writeAll(fd: number, bytes: Buffer): void {
  let written = 0;
  for (let tries = 0; written < bytes.length && tries < RETRIES; tries += 1) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (thrown) {
      // Somebody has closed it: there is nobody left to tell.
      if ((thrown as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}
