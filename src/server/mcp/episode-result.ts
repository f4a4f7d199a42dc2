import type { CallOutcome } from '../../core/index.ts';
import type { JsonObject, RunToolResult, ToolOutput } from '../../protocol/index.ts';
import { type CallEnding, outcomeOf } from '../../sessions/index.ts';
import type { ReturnErrors } from '../http/errors.ts';
import { toCallAnswer } from '../ors/call-answer.ts';
import { toContent, toErrorResult } from './content.ts';
import { type McpResult, UnknownTool } from './face.ts';

/** Who reads results: orchestrators also hear what a step has paid. */
export type Reader = 'agent' | 'orchestrator';

/** How the calls of an episode are told. */
export interface ResultOptions {
  readonly reader: Reader;
  readonly returnErrors: ReturnErrors;
}

/** What is said at the end of the last result. */
export const EPISODE_ENDED = 'The episode has ended. No more tools can be called: stop here.';

/** How a call of an episode ended, in the words of MCP; the same text as over ORS. Throws `UnknownTool`. */
export function toEpisodeResult(ending: CallEnding, { reader, returnErrors }: ResultOptions): McpResult {
  if (ending.kind === 'returned') return toOutputResult(outputOf(ending.json), reader);
  if (ending.failure.code === 'unknown_tool') throw new UnknownTool(ending.failure.message);
  const answer = toCallAnswer(ending, { envelope: true, streaming: true, returnErrors });
  const meta = metaFor(reader, { reward: null, finished: false, outcome: outcomeOf(ending) });
  if (answer.kind === 'end') return toErrorResult((JSON.parse(answer.json) as { error: string }).error, meta);
  return toErrorResult(answer.kind === 'error' ? answer.message : answer.failure.message, meta);
}

/** What a step gave. */
export function toOutputResult({ blocks, reward, finished }: ToolOutput, reader: Reader): McpResult {
  const content = toContent(blocks);
  const meta = metaFor(reader, { reward, finished, outcome: 'returned' });
  return { content: finished ? [...content, { type: 'text', text: EPISODE_ENDED }] : content, meta };
}

interface StepFacts {
  readonly reward: number | null;
  readonly finished: boolean;
  readonly outcome: CallOutcome;
}

/** What only orchestrators are told: programs keep it from their model, but an agent's program may do as it likes. */
function metaFor(reader: Reader, { reward, finished, outcome }: StepFacts): JsonObject | undefined {
  if (reader === 'agent') return undefined;
  return { 'tiltyard/reward': reward, 'tiltyard/finished': finished, 'tiltyard/outcome': outcome };
}

function outputOf(json: string): ToolOutput {
  const result = JSON.parse(json) as RunToolResult;
  return (result as Extract<RunToolResult, { ok: true }>).output;
}
