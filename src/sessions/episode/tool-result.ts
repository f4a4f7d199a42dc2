import {
  type CompiledTool,
  NOTHING_TO_SEE,
  quoteText,
  type ToolEnding,
  toFailure,
  toToolOutput,
} from '../../core/index.ts';
import { resultJson } from '../../protocol/index.ts';
import type { RunEnding } from '../call-ending.ts';
import { toFailedEnding } from '../tool-failure.ts';
import type { Episode } from './episode.ts';

/** How a tool of an episode ended, as it is kept and sent. Marks the episode finished when the tool says so. */
export function toRunEnding(ending: ToolEnding, tool: CompiledTool, episode: Episode): RunEnding {
  switch (ending.kind) {
    case 'returned':
      return toReturned(ending.value, tool, episode);
    case 'failed':
    case 'timed_out':
      return toFailedEnding(ending, tool.name, episode.log, episode.secrets);
    case 'crashed':
      return crashed(ending.error, tool, episode);
  }
}

function toReturned(value: unknown, tool: CompiledTool, episode: Episode): RunEnding {
  try {
    const output = toToolOutput(value, tool);
    const json = resultJson(output, quoteText);
    if (output.blocks === NOTHING_TO_SEE) episode.log.warn(`tool '${tool.name}' returned nothing for the agent to see`);
    // Only now: an output that cannot be sent must not end the episode.
    if (output.finished) episode.finished = true;
    return { kind: 'returned', json, reward: output.reward, finished: output.finished };
  } catch (thrown) {
    return crashed(thrown, tool, episode);
  }
}

function crashed(thrown: unknown, tool: CompiledTool, episode: Episode): RunEnding {
  const failure = toFailure(episode.failure(`tool '${tool.name}'`, thrown));
  return { kind: 'failed', outcome: 'env_error', failure };
}
