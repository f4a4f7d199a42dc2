import type { Failure } from '../../core/index.ts';
import type { SessionFacts } from '../events.ts';
import type { SessionOptions } from '../options.ts';

type AdmissionLimits = Pick<SessionOptions, 'maxCallsInFlight' | 'maxCallsQueued' | 'maxInputBytes'>;

/** What a session has at the moment. */
export interface Load {
  readonly sid: string;
  /** The calls that run or wait. */
  readonly calls: number;
  /** What their inputs take. */
  readonly inputBytes: number;
}

/** Why a session takes no further call with an input of so many bytes; undefined if it does. */
export function refusalOf(
  { sid, calls, inputBytes }: Load,
  bytes: number,
  limits: AdmissionLimits,
): Failure | undefined {
  const full = fullOf(sid, calls, limits);
  // One is always taken, whatever its size: bodies have a limit of their own.
  if (full !== undefined || calls === 0 || inputBytes + bytes <= limits.maxInputBytes) return full;
  const message = `the inputs of the calls in session '${sid}' exceed ${limits.maxInputBytes} bytes. Wait for a call to end, then retry`;
  return { code: 'too_many_calls', message };
}

/** Why a session that has so many calls, or so many who wait for its setup, takes no more; undefined if it does. */
export function fullOf(sid: string, count: number, limits: AdmissionLimits): Failure | undefined {
  const max = limits.maxCallsInFlight + limits.maxCallsQueued;
  if (count < max) return undefined;
  const message = `call limit of session '${sid}' reached (${max}). Wait for a call to end, then retry`;
  return { code: 'too_many_calls', message };
}

/** Why a client that believes it talks to another environment is refused; undefined if it is right, whatever the case, or does not say. */
export function mismatchOf(
  { sid, environment: own }: Pick<SessionFacts, 'sid' | 'environment'>,
  environment: string | undefined,
): Failure | undefined {
  if (environment === undefined || environment.toLowerCase() === own) return undefined;
  return { code: 'environment_mismatch', message: `session '${sid}' runs environment '${own}', not '${environment}'` };
}

/** Why a session of a server that stops takes no more. */
export function stopsTaking(sid: string): Failure {
  return { code: 'shutting_down', message: `the server is stopping, and session '${sid}' accepts no new calls` };
}
