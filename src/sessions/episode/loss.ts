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

/** The same, with how much the episode is to blame. */
export interface Loss extends WhyLost {
  /** How its process ended (`it was ended by SIGKILL`), if that is why. */
  readonly processEnd?: string;
  /** 1: a run, setup or prompt of this episode ended the process; less where several may have; 0: others did. */
  readonly charge: number;
}

/** Of an episode whose process has ended, if nothing of it is kept. */
export function lossOfProcess(processEnd: string, charge: number): Loss {
  return { reason: 'worker_lost', words: `the process that ran it has ended: ${processEnd}`, processEnd, charge };
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
