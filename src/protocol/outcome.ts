/** Every way in which a call can end. */
export const CALL_OUTCOMES: readonly ['returned', 'tool_error', 'env_error', 'timeout', 'cancelled', 'expired'] = [
  'returned',
  'tool_error',
  'env_error',
  'timeout',
  'cancelled',
  'expired',
];

/** Every way in which an episode can end. */
export const EPISODE_OUTCOMES: readonly ['finished', 'env_error', 'timeout', 'cancelled', 'expired'] = [
  'finished',
  'env_error',
  'timeout',
  'cancelled',
  'expired',
];

/** How a call ended: exactly one of these, the same in logs, metrics, traces and clients. */
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** How an episode ended: exactly one of these, the same in logs, metrics, traces and clients. */
export type EpisodeOutcome = (typeof EPISODE_OUTCOMES)[number];

/** How a call or an episode ended. */
export type Outcome = CallOutcome | EpisodeOutcome;

// A map: a code of somebody else's server may be the name of something that every object has.
const OF_CODE: ReadonlyMap<string, Exclude<CallOutcome, 'returned'>> = new Map([
  ['setup_failed', 'env_error'],
  ['environment_failed', 'env_error'],
  ['session_gone', 'cancelled'],
  ['session_expired', 'expired'],
  ['session_lost', 'env_error'],
  ['outcome_unknown', 'env_error'],
  ['shutting_down', 'cancelled'],
  ['unknown_tool', 'tool_error'],
  ['invalid_input', 'tool_error'],
  ['episode_finished', 'tool_error'],
  ['call_cancelled', 'cancelled'],
  ['tool_failed', 'tool_error'],
]);

/** What an error code says of the call or episode that it ended; undefined if it is of the request alone, or unknown. */
export function outcomeOfCode(code: string): Exclude<CallOutcome, 'returned'> | undefined {
  return OF_CODE.get(code);
}

/** The response header by which an OXP call that did not succeed tells its outcome: the body has no place for it. */
export const OUTCOME_HEADER = 'tiltyard-outcome';

/** Whether something that came over the wire is the outcome of a call. */
export function isOutcome(value: unknown): value is CallOutcome {
  return (CALL_OUTCOMES as readonly unknown[]).includes(value);
}
