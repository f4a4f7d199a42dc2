import {
  type CompiledTool,
  isEmptyReturn,
  type Outcome,
  type ReportedFailure,
  redact,
  type TiltyardError,
  type ToolEnding,
  toOutcome,
  toToolOutput,
} from '../../core/index.ts';
import { type FailureReason, type RunToolResult, resultJson, withoutLineBreaks } from '../../protocol/index.ts';
import type { Episode } from './episode.ts';

/** How a call ended, ready to be written: once or many times, to whoever asks for it. */
export type CallEnding =
  /** The envelope as JSON text: a result, or a failure that the model should read. */
  | { readonly kind: 'result'; readonly json: string; readonly outcome: 'scored' | 'tool_error' | 'timeout' }
  /** The tool or its session broke: there is no result. */
  | { readonly kind: 'error'; readonly error: TiltyardError }
  /** The call was not run, because something about the request is wrong. */
  | { readonly kind: 'refused'; readonly error: TiltyardError };

/** The same in one word. */
export function outcomeOf(ending: CallEnding): Outcome {
  return ending.kind === 'result' ? ending.outcome : toOutcome(ending.error);
}

/** How a tool ended, as it is kept and sent. Marks the episode finished when the tool says so. */
export function toCallEnding(ending: ToolEnding, tool: CompiledTool, episode: Episode): CallEnding {
  switch (ending.kind) {
    case 'returned':
      return toResult(ending.value, tool, episode);
    case 'failed':
      episode.log.info(`tool '${tool.name}' reported a failure`, { error: ending.failure });
      return toFailure(
        `Tool '${tool.name}' failed: ${redact(forModel(ending.failure), episode.secrets)}`,
        'tool_error',
      );
    case 'timed_out':
      episode.log.warn(`tool '${tool.name}' took longer than ${ending.timeoutMs} ms`);
      return toFailure(`Tool '${tool.name}' failed: it took longer than ${ending.timeoutMs} ms`, 'timeout');
    case 'crashed':
      return { kind: 'error', error: episode.failure(`tool '${tool.name}'`, ending.error) };
  }
}

function toResult(value: unknown, tool: CompiledTool, episode: Episode): CallEnding {
  try {
    if (isEmptyReturn(value)) episode.log.warn(`tool '${tool.name}' returned nothing for the agent to see`);
    const output = toToolOutput(value, tool);
    const json = withoutLineBreaks(resultJson(output));
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

function toFailure(error: string, reason: FailureReason & ('tool_error' | 'timeout')): CallEnding {
  const json = withoutLineBreaks(JSON.stringify({ ok: false, error, reason } satisfies RunToolResult));
  return { kind: 'result', json, outcome: reason };
}
