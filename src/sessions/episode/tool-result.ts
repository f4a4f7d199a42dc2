import {
  type CompiledTool,
  NOTHING_TO_SEE,
  redact,
  type ToolEnding,
  toFailure,
  toToolOutput,
} from '../../core/index.ts';
import { resultJson, withoutLineBreaks } from '../../protocol/index.ts';
import { type RunEnding, toCallFailure } from '../call-ending.ts';
import type { Episode } from './episode.ts';

/** How a tool of an episode ended, as it is kept and sent. Marks the episode finished when the tool says so. */
export function toRunEnding(ending: ToolEnding, tool: CompiledTool, episode: Episode): RunEnding {
  switch (ending.kind) {
    case 'returned':
      return toReturned(ending.value, tool, episode);
    case 'failed': {
      episode.log.info(`tool '${tool.name}' reported a failure`, { error: ending.failure });
      const clean = (text: string) => redact(text, episode.secrets);
      return { kind: 'failed', outcome: 'tool_error', failure: toCallFailure(tool.name, ending.failure, clean) };
    }
    case 'timed_out': {
      const message = `took longer than ${ending.timeoutMs} ms`;
      episode.log.warn(`tool '${tool.name}' ${message}`);
      return { kind: 'failed', outcome: 'timeout', failure: { code: 'tool_failed', tool: tool.name, message } };
    }
    case 'crashed':
      return crashed(ending.error, tool, episode);
  }
}

function toReturned(value: unknown, tool: CompiledTool, episode: Episode): RunEnding {
  try {
    const output = toToolOutput(value, tool);
    const { reward, finished } = output;
    const json = withoutLineBreaks(resultJson(output));
    if (output.blocks === NOTHING_TO_SEE) episode.log.warn(`tool '${tool.name}' returned nothing for the agent to see`);
    // Only now: an output that cannot be sent must not end the episode.
    if (finished) episode.finished = true;
    return { kind: 'returned', json, reward, finished };
  } catch (thrown) {
    return crashed(thrown, tool, episode);
  }
}

function crashed(thrown: unknown, tool: CompiledTool, episode: Episode): RunEnding {
  const failure = toFailure(episode.failure(`tool '${tool.name}'`, thrown));
  return { kind: 'failed', outcome: 'env_error', failure };
}
