import type { ErrorCode } from '../../core/index.ts';
import { cutText, type JsonObject, resultJson } from '../../protocol/index.ts';
import type { RecordedCall, ToldResult } from '../../records/index.ts';
import type { RunEnding } from '../../sessions/index.ts';

/** How a recorded call ends when it is made again. */
export function toEnding(tool: string, told: ToldResult | undefined): RunEnding {
  if (told === undefined) return broken(`the call of '${tool}' had not ended when its recording did`);
  if (told.failure !== undefined) return toFailed(tool, told.failure);
  const { blocks = [], metadata = null, reward = null, finished = false } = told;
  const json = resultJson({ blocks: [...blocks], metadata, reward, finished });
  return { kind: 'returned', json, reward, finished };
}

/** A call that was not made when this was recorded. */
export interface Unrecorded {
  readonly tool: string;
  readonly input: JsonObject;
  /** Whether it was made, but not as often. */
  readonly wasCalled: boolean;
  readonly recorded: readonly RecordedCall[];
}

const SHOWN = 200;

/** How a call ends that was not recorded: as a failure of the environment, so that no agent takes it for an answer. */
export function unrecorded({ tool, input, wasCalled, recorded }: Unrecorded): RunEnding {
  const call = `${tool} ${cutText(JSON.stringify(input), SHOWN)}`;
  const others = recorded
    .filter((each) => each.tool === tool)
    .map((each) => cutText(JSON.stringify(each.input), SHOWN));
  const known =
    others.length === 0
      ? `the tools that were called are ${[...new Set(recorded.map((each) => each.tool))].join(', ') || 'none'}`
      : `${tool} was called with ${others.slice(0, 5).join(', ')}`;
  const why = wasCalled ? 'was not made as often when this was recorded' : 'was not recorded';
  return broken(`the call ${call} ${why}: ${known}`);
}

function broken(message: string): RunEnding {
  return { kind: 'failed', outcome: 'env_error', failure: { code: 'environment_failed', message } };
}

// Reasons that a model reads, and the codes by which a server tells them.
const REFUSALS: ReadonlyMap<string, ErrorCode> = new Map([
  ['not_found', 'unknown_tool'],
  ['input_validation', 'invalid_input'],
  ['episode_finished', 'episode_finished'],
]);

function toFailed(
  tool: string,
  { reason, message = 'a failure was recorded' }: NonNullable<ToldResult['failure']>,
): RunEnding {
  const refusal = REFUSALS.get(reason);
  if (refusal !== undefined) return { kind: 'refused', failure: { code: refusal, message } };
  // The server puts these words before it again.
  const own = message.replace(`Tool '${tool}' failed: `, '');
  if (reason === 'tool_error')
    return { kind: 'failed', outcome: 'tool_error', failure: { code: 'tool_failed', tool, message: own } };
  if (reason === 'timeout')
    return {
      kind: 'failed',
      outcome: 'timeout',
      failure: { code: 'tool_failed', tool, message: own.replace(/^it /, '') },
    };
  return broken(message);
}
