/** How far one episode may go. */
export interface EpisodeLimits {
  /** Requests to the model; without a model, calls. */
  readonly maxTurns: number;
  /** Of the model's answers, all turns together. */
  readonly maxTokens?: number | undefined;
  readonly timeoutMs?: number | undefined;
}
