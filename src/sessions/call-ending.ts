import { type CallOutcome, type Failure, type Problem, toOutcome } from '../core/index.ts';
import type { MissingRequirements } from '../protocol/index.ts';

/** How a call ended: plain data, to be kept, sent to another process, and told in the words of any protocol. */
export type CallEnding =
  /** The tool returned; what it returned is JSON, in the form of the protocol that called it. */
  | { readonly kind: 'returned'; readonly json: string }
  /** The tool failed or was stopped, or its session broke: there is no result. */
  | { readonly kind: 'failed'; readonly outcome: FailedOutcome; readonly failure: CallFailure }
  /** The call was not run, because something about the request is wrong, or nothing can run now. */
  | { readonly kind: 'refused'; readonly failure: CallFailure; readonly problems?: readonly Problem[] };

/** How a run of a tool ended, with what its session must know of it. */
export type RunEnding = CallEnding & {
  /** What a step paid; null where it said nothing of a reward. */
  readonly reward?: number | null;
  /** Whether a step ended the episode. */
  readonly finished?: boolean;
  /** The JSON of the state after it, where the environment's contract is `snapshot`. */
  readonly saved?: string;
  /** Why the episode can no longer be built again, if it cannot since this run. */
  readonly tainted?: Taint;
  /** Why its process ended before the run did, if that is so: nobody knows how far it came. */
  readonly lostWith?: string;
  /** How long it took, where that was noted before it is told. */
  readonly durationMs?: number;
};

/** Why an episode can no longer be built again. */
export interface Taint {
  readonly reason: 'timeout' | 'cancelled' | 'save_failed';
  /** They go on after "since ". */
  readonly words: string;
}

/** How a call ended that ran and did not return. */
export type FailedOutcome = Exclude<CallOutcome, 'returned'>;

/** Why a call failed, without the caller's secrets; the rest is what a tool said with a ToolError. */
export interface CallFailure extends Failure {
  /** The tool that failed. */
  readonly tool?: string;
  readonly developerMessage?: string | undefined;
  readonly canRetry?: boolean | undefined;
  readonly promptContent?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** What the caller has to hand over before the tool can be called. */
  readonly missing?: MissingRequirements;
}

/** How a call ended, in one word. */
export function outcomeOf(ending: CallEnding): CallOutcome {
  if (ending.kind === 'returned') return 'returned';
  return ending.kind === 'failed' ? ending.outcome : toOutcome(ending.failure);
}

/** About how much memory an ending takes. */
export function bytesOf(ending: CallEnding): number {
  if (ending.kind === 'returned') return ending.json.length;
  const { message, developerMessage = '', promptContent = '', thrown } = ending.failure;
  const own = message.length + developerMessage.length + promptContent.length;
  return thrown === undefined ? own : own + thrown.message.length + thrown.stack.length;
}

/** The ending of a call that is not run. */
export function refused(failure: CallFailure, problems?: readonly Problem[]): CallEnding {
  return problems === undefined ? { kind: 'refused', failure } : { kind: 'refused', failure, problems };
}

/** The ending of a call that its client has given up before it could run. */
export const NOT_RUN: CallEnding = refused({ code: 'call_cancelled', message: 'the call was cancelled before it ran' });

/** What the model reads of a tool that failed or took too long: one text, as ORS has it; OXP keeps its parts apart. */
export function toModelText({ tool, message, promptContent }: CallFailure, outcome: FailedOutcome): string {
  const told = outcome === 'timeout' ? `it ${message}` : message;
  return `Tool '${tool}' failed: ${promptContent === undefined ? told : `${told}\n${promptContent}`}`;
}
