import type { ErrorCode } from '../../core/index.ts';

/** Why an episode was lost, in one word for metrics. */
export type LossReason =
  | 'worker_lost'
  | 'server_lost'
  | 'secrets_not_kept'
  | 'killed_twice'
  | 'tainted'
  | 'diverged'
  | 'restore_failed'
  | 'task_changed'
  | 'environment_changed'
  | 'no_worker';

/** Why an episode was lost, for machines and for people. */
export interface WhyLost {
  readonly reason: LossReason;
  /** They go on after "the session was lost: ". */
  readonly words: string;
}

const OF_CODE: Partial<Record<ErrorCode, LossReason>> = {
  diverged: 'diverged',
  task_changed: 'task_changed',
  no_worker: 'no_worker',
};

/** Why an episode could not be built again that failed with this error. */
export function whyNotRebuilt({ code, message }: { readonly code: ErrorCode; readonly message: string }): WhyLost {
  return { reason: OF_CODE[code] ?? 'restore_failed', words: `it could not be built again (${message})` };
}
