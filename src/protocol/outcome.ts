/** Every way in which a call or an episode can end. */
export const OUTCOMES: readonly ['scored', 'tool_error', 'env_error', 'timeout', 'cancelled', 'expired'] = [
  'scored',
  'tool_error',
  'env_error',
  'timeout',
  'cancelled',
  'expired',
];

/** How a call or an episode ended: exactly one of these, the same in logs, metrics, traces and clients. */
export type Outcome = (typeof OUTCOMES)[number];

// A map: a code of somebody else's server may be the name of something that every object has.
const OF_CODE: ReadonlyMap<string, Outcome> = new Map([
  ['setup_failed', 'env_error'],
  ['environment_failed', 'env_error'],
  ['session_gone', 'cancelled'],
  ['session_expired', 'expired'],
  ['shutting_down', 'cancelled'],
  ['unknown_tool', 'tool_error'],
  ['invalid_input', 'tool_error'],
  ['episode_finished', 'tool_error'],
  ['tool_failed', 'tool_error'],
]);

/** What an error code says of the call or episode that it ended; undefined if it is of the request alone, or unknown. */
export function outcomeOfCode(code: string): Outcome | undefined {
  return OF_CODE.get(code);
}

/** The response header by which an OXP call that did not succeed tells its outcome: the body has no place for it. */
export const OUTCOME_HEADER = 'tiltyard-outcome';

/** Whether something that came over the wire is an outcome. */
export function isOutcome(value: unknown): value is Outcome {
  return (OUTCOMES as readonly unknown[]).includes(value);
}
