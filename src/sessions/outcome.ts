import {
  type CompiledTool,
  isEmptyReturn,
  type ReportedFailure,
  redact,
  type ToolOutcome,
  toToolOutput,
} from '../core/index.ts';
import { type RefusalReason, type RunToolResult, resultJson } from '../protocol/index.ts';
import type { CallOutcome } from './call.ts';
import type { Episode } from './episode.ts';

/** A tool's outcome as it is kept and sent. Marks the episode finished when the tool says so. */
export function toCallOutcome(outcome: ToolOutcome, tool: CompiledTool, episode: Episode): CallOutcome {
  switch (outcome.kind) {
    case 'returned':
      return toResult(outcome.value, tool, episode);
    case 'failed':
      episode.log.info(`tool '${tool.name}' reported a failure`, { error: outcome.failure });
      return toFailure(
        `Tool '${tool.name}' failed: ${redact(forModel(outcome.failure), episode.secrets)}`,
        'tool_error',
      );
    case 'timed_out':
      episode.log.warn(`tool '${tool.name}' took longer than ${outcome.timeoutMs} ms`);
      return toFailure(`Tool '${tool.name}' failed: it took longer than ${outcome.timeoutMs} ms`, 'timeout');
    case 'crashed':
      return { kind: 'error', error: episode.failure(`tool '${tool.name}'`, outcome.error) };
  }
}

function toResult(value: unknown, tool: CompiledTool, episode: Episode): CallOutcome {
  try {
    if (isEmptyReturn(value)) episode.log.warn(`tool '${tool.name}' returned nothing for the agent to see`);
    const output = toToolOutput(value, tool);
    const json = resultJson(output);
    // Only now: an output that cannot be sent must not end the episode.
    if (output.finished) episode.finished = true;
    return { kind: 'result', json, outcome: 'scored' };
  } catch (thrown) {
    return { kind: 'error', error: episode.failure(`tool '${tool.name}'`, thrown) };
  }
}

// ORS has one text for the model; OXP keeps the two apart.
function forModel({ message, promptContent }: ReportedFailure): string {
  return promptContent === undefined ? message : `${message}\n${promptContent}`;
}

function toFailure(error: string, reason: RefusalReason & ('tool_error' | 'timeout')): CallOutcome {
  const json = JSON.stringify({ ok: false, error, reason } satisfies RunToolResult);
  return { kind: 'result', json, outcome: reason };
}
