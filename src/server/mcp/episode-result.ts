import { type McpResult, type Reader, stepMeta, toErrorResult, toStepResult, UnknownTool } from '../../mcp/index.ts';
import type { RunToolResult, ToolOutput } from '../../protocol/index.ts';
import { type CallEnding, outcomeOf } from '../../sessions/index.ts';
import type { ReturnErrors } from '../http/errors.ts';
import { failureWords } from '../ors/failure-words.ts';

/** How the calls of an episode are told. */
export interface ResultOptions {
  readonly reader: Reader;
  readonly returnErrors: ReturnErrors;
}

/** How a call of an episode ended, in the words of MCP; the same text as over ORS. Throws `UnknownTool`. */
export function toEpisodeResult(ending: CallEnding, { reader, returnErrors }: ResultOptions): McpResult {
  if (ending.kind === 'returned') return toStepResult(outputOf(ending.json), reader);
  if (ending.failure.code === 'unknown_tool') throw new UnknownTool(ending.failure.message);
  const finished = ending.failure.code === 'episode_finished';
  const meta = stepMeta(reader, { reward: null, finished, outcome: outcomeOf(ending) });
  return toErrorResult(failureWords(ending, returnErrors).message, meta);
}

function outputOf(json: string): ToolOutput {
  const result = JSON.parse(json) as RunToolResult;
  return (result as Extract<RunToolResult, { ok: true }>).output;
}
