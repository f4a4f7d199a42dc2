/** One line of `plan.jsonl`: an episode that is to be played. */
export interface PlannedEpisode {
  /** Its number in the run, from 0; also the name of its records. */
  readonly episode: number;
  readonly split: string;
  readonly index: number;
  /** Which of several episodes of the same task, from 0. */
  readonly repeat: number;
  /** A hash of the task; null if the server does not show its tasks. */
  readonly taskHash: string | null;
  /** What the task belongs with, if the run was asked to look. */
  readonly cluster?: string;
}
