/** How a worker's process has ended. */
export interface WorkerEnd {
  readonly why: string;
  readonly kind: EndKind;
}

/** It exited; it crashed; it was killed, by the server or from outside; it took too much memory; its code blocked it; it could not be started. */
export type EndKind = 'exited' | 'crashed' | 'killed' | 'memory' | 'blocked' | 'not_started';

/** Tells from its exit code or signal, and what its guard said of its memory, how a process has ended. */
export function howItEnded(code: number | null, signal: string | null, memory: string | undefined): WorkerEnd {
  if (memory !== undefined) return { why: memory, kind: 'memory' };
  if (signal === null) return { why: `it exited with code ${code}`, kind: 'exited' };
  if (signal === 'SIGABRT') return { why: `it was ended by SIGABRT: ${ABORTED}`, kind: 'crashed' };
  const kind = signal === 'SIGKILL' || signal === 'SIGTERM' ? 'killed' : 'crashed';
  return { why: `it was ended by ${signal}`, kind };
}

const ABORTED = 'it ran out of memory, or native code in it failed';
