import type { Durability } from '../core/index.ts';
import { OUTCOME_UNKNOWN } from '../protocol/index.ts';
import { type CallEnding, type RunEnding, toldDigest } from '../sessions/index.ts';
import type { DurableRun } from './durable-run.ts';
import type { BeginRecord, EndRecord, RecordedCall } from './records.ts';

/** How much of a call is written down. */
export interface EndRecordOptions {
  /** Whether clients may ask the journal for what they were told: otherwise it only has to be comparable. */
  readonly isWhole: boolean;
  readonly durability: Durability;
}

/** What is written down of a call that has ended. */
export function toEndRecord(run: DurableRun, ending: RunEnding, { isWhole, durability }: EndRecordOptions): EndRecord {
  const { reward = null, finished = false, saved, tainted } = ending;
  const told = toCallEnding(ending);
  const isKept = isWhole || told.kind !== 'returned';
  return {
    type: 'end',
    at: Date.now(),
    call: toRecordedCall(run, isWhole || durability === 'replay'),
    ending: isKept ? told : undefined,
    told: isKept ? undefined : toldDigest(told),
    durationMs: performance.now() - run.startedAt,
    reward,
    finished,
    saved,
    tainted: tainted?.words,
  };
}

/** Nothing of a refused call has run, and nobody knows what one did whose process ended. */
export function hasRun(ending: CallEnding): boolean {
  return ending.kind !== 'refused' && !(ending.kind === 'failed' && ending.failure.code === 'outcome_unknown');
}

/** Only what was told. */
function toCallEnding(ending: RunEnding): CallEnding {
  if (ending.kind === 'returned') return { kind: 'returned', json: ending.json };
  const { reward, finished, saved, tainted, ...told } = ending;
  return told;
}

/** The call of a run; its input only where it may be needed again. */
export function toRecordedCall({ request, input, attempt }: DurableRun, withInput: boolean): RecordedCall {
  return { id: request.id, tool: request.name, input: withInput ? input : '{}', attempt };
}

/** The end of a call that may have run, or not. */
export function outcomeUnknown(tool: string, why: string): RunEnding {
  const message = `it is not known whether tool '${tool}' has run: ${why}. It is not run again, since that could do twice what must be done once`;
  return { kind: 'failed', outcome: 'env_error', failure: { code: 'outcome_unknown', tool, message } };
}

/** The same for a tool of a toolkit, whose callers have a place for more. */
export function toolOutcomeUnknown(tool: string, why: string): CallEnding {
  const message = `It is not known whether the tool has run. It is not run again, since that could do twice what must be done once`;
  const developerMessage = `${OUTCOME_UNKNOWN}: ${why}`;
  const failure = { code: 'outcome_unknown', tool, message, developerMessage, canRetry: false } as const;
  return { kind: 'failed', outcome: 'env_error', failure };
}

/** The same for a call of an earlier server. */
export function toUnknownRecord({ call }: BeginRecord): EndRecord {
  const { tool } = call;
  const ending = outcomeUnknown(tool, 'the server has ended while it was called');
  return { type: 'end', at: Date.now(), call, ending, durationMs: 0, reward: null, finished: false };
}
