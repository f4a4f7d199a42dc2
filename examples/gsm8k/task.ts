/** One word problem. */
export interface WordProblem {
  readonly question: string;
  readonly answer: number;
  /** How the answer comes about; a test computes it, so that no task can be wrong. */
  readonly working: string;
  readonly hint?: string;
}
