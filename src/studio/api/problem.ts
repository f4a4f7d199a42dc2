/** Who or what stands behind a failure. */
export type ProblemKind =
  /** The call was not run: unknown tool, wrong input, episode already finished. Mend the call. */
  | 'refused'
  /** The tool ran and reported a failure that the model may read. */
  | 'tool'
  /** The environment's own code broke or timed out. */
  | 'environment'
  /** The session is over: deleted, expired or lost. Play it again. */
  | 'session'
  /** The server refuses the key, or wants one. */
  | 'auth'
  /** Nobody answers, or the answer makes no sense. */
  | 'server'
  /** You stopped waiting; the tool may have run. */
  | 'cancelled'
  /** The request to the studio itself was wrong. */
  | 'request';

/** A failure, with what to do about it. */
export interface Problem {
  readonly kind: ProblemKind;
  /** For programs: the code of the server or of the studio. */
  readonly code: string | null;
  /** What went wrong, in words. May hold text of a hostile server. */
  readonly message: string;
  /** The message with its whole stack, where `message` leaves lines of it out. */
  readonly whole?: string;
  /** What to do next, where that is known. */
  readonly advice: string | null;
  /** The status of the server's answer, where there was one. */
  readonly status: number | null;
}

/** The body of every answer of the studio whose status is 400 or above. */
export interface ErrorAnswer {
  readonly error: Problem;
}
