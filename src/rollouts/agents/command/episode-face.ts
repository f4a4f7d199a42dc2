import {
  type McpFace,
  type McpResult,
  runOnce,
  toErrorResult,
  toMcpTool,
  toStepResult,
  UnknownTool,
} from '../../../mcp/index.ts';
import type { WireBlock } from '../../../protocol/index.ts';
import { Halt } from '../../outcome/halt.ts';
import type { AgentEpisode } from '../../play/agent.ts';

/** What a face tells of its episode. */
export interface FaceListener {
  /** The episode is over: finished, or halted for this reason. */
  over(why: Halt | undefined): void;
}

/** An episode of a run as its program sees it: what it does is recorded, and it hears nothing of rewards. */
export function runFace({ tools, call }: Pick<AgentEpisode, 'tools' | 'call'>, listener: FaceListener): McpFace {
  let isOver = false;
  const end = (why?: Halt) => {
    isOver = true;
    listener.over(why);
  };
  const play = async (name: string, input: Parameters<AgentEpisode['call']>[1]): Promise<McpResult> => {
    if (!tools.some((tool) => tool.name === name)) throw new UnknownTool(`'${name}' is not a valid tool`);
    if (isOver) return toErrorResult('The episode is over. No more tools can be called: stop here.');
    try {
      const { blocks, text, finished, isError } = await call(name, input);
      if (finished) end();
      return isError
        ? toErrorResult(text)
        : toStepResult({ blocks: [...blocks] as WireBlock[], reward: null, finished }, 'agent');
    } catch (thrown) {
      end(thrown instanceof Halt ? thrown : undefined);
      // What has broken is told to who runs this; the program only has to stop.
      const why = thrown instanceof Halt && thrown.stop === 'max_turns' ? 'there are no calls left' : 'it cannot go on';
      return toErrorResult(`The episode is over: ${why}. No more tools can be called: stop here.`);
    }
  };
  return {
    name: 'episode',
    tools: () => tools.map((tool) => toMcpTool(tool, undefined)),
    call: runOnce(({ name, input }) => ({ told: play(name, input), cancel: () => {} })),
  };
}
