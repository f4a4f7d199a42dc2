/** The kinds of failure that are counted apart. */
export type ProblemKind =
  /** No connection could be made. */
  | 'connect'
  /** No whole answer within the time. */
  | 'timeout'
  /** The connection, or the event stream, ended before the answer did. */
  | 'cut'
  /** Not an answer in HTTP/1.1, or not one of the protocol. */
  | 'malformed'
  | `status ${number}`
  /** The server answered, and the tool failed or refused. */
  | 'tool'
  /** The session is no longer there. */
  | 'gone';

/** Why a unit of work failed. */
export interface LoadProblem {
  readonly kind: ProblemKind;
  /** In words, for a person; it may be the server's text. */
  readonly detail: string;
}
