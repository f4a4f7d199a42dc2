import { type CallResult, type Session, ToolCallError, ToolFailed } from '../../client/index.ts';
import type { JsonObject } from '../../protocol/index.ts';
import type { FailedEvent, NewEvent, ToldResult } from '../../records/index.ts';
import { toSafeText } from './safe-text.ts';
import { waitFor } from './waiting.ts';

/** A call that somebody wants to make. */
export interface Move {
  readonly tool: string;
  readonly input: JsonObject;
}

/** Why a call gave no result; the episode goes on. */
export interface CallFailure {
  /** As the client names reasons, or `broken` for a tool that threw. */
  readonly reason: string;
  readonly message: string;
  readonly outcome: FailedEvent['outcome'];
}

/** A call that was made. */
export interface PlayedCall extends Move {
  readonly result: CallResult | undefined;
  readonly failure: CallFailure | undefined;
  readonly ms: number;
}

/** Makes a call. A tool that fails or breaks is what came of it; anything else is thrown. */
export async function makeCall(session: Session, move: Move, signal: AbortSignal): Promise<PlayedCall> {
  const startedAt = performance.now();
  const played = (came: Pick<PlayedCall, 'result' | 'failure'>) => ({
    ...move,
    ...came,
    ms: Math.round((performance.now() - startedAt) * 1000) / 1000,
  });
  try {
    const calling = session.call(move.tool, move.input, { signal });
    const result = await waitFor(`waiting for ${toSafeText(move.tool)}`, calling);
    return played({ result, failure: undefined });
  } catch (thrown) {
    const failure = toFailure(thrown);
    if (failure === undefined) throw thrown;
    return played({ result: undefined, failure });
  }
}

/** What came of a call, as records tell it. */
export function toTold({ result, failure }: PlayedCall): ToldResult {
  return failure === undefined ? { ...result } : { failure };
}

/** How a call ended, for a record; `call` is its number there. */
export function toResultEvent({ result, failure, ms }: PlayedCall, call: number): NewEvent {
  const ending = { type: 'result', call, ms } as const;
  if (result !== undefined) {
    const { blocks, reward, finished, metadata } = result;
    return { ...ending, outcome: 'returned', blocks, reward, finished, metadata };
  }
  const { reason = 'broken', message = '', outcome = 'env_error' } = failure ?? {};
  return { ...ending, outcome, failure: { reason, message } };
}

function toFailure(thrown: unknown): CallFailure | undefined {
  if (thrown instanceof ToolCallError) {
    const { reason, message } = thrown;
    return { reason, message, outcome: reason === 'timeout' ? 'timeout' : 'tool_error' };
  }
  if (thrown instanceof ToolFailed) return { reason: 'broken', message: thrown.message, outcome: 'env_error' };
  return undefined;
}
