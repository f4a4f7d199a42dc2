import type { EpisodeLog } from '../core/index.ts';
import { settlesWithin } from './time-limit.ts';

/** Work that was told to stop. */
export interface Stopping {
  /** What it is, for the log: `tool 'build'`. */
  readonly what: string;
  readonly startedAt?: number;
  /** Resolves when it has ended; never rejects. */
  readonly ended: Promise<unknown>;
  /** Whether the log has it already. */
  reported?: boolean;
}

/**
 * Waits for work that was told to stop, but not for ever: what goes on regardless is named in the log, and once more
 * when it has ended at last.
 */
export async function reportOverrun(limitMs: number, work: Stopping, log: EpisodeLog): Promise<void> {
  const { what, startedAt, ended } = work;
  const toldAt = performance.now();
  if ((await settlesWithin(ended, limitMs)) || work.reported) return;
  work.reported = true;
  const times = () => {
    const now = performance.now();
    const ran = startedAt === undefined ? {} : { ranMs: Math.round(now - startedAt) };
    return { ...ran, ignoredMs: Math.round(now - toldAt) };
  };
  log.warn(`${what} ignores its signal: still running ${limitMs} ms after it was told to stop`, times());
  void ended.then(() => log.warn(`${what} ignored its signal, but has ended now`, times()));
}
