import { type McpFace, toErrorResult } from '../../mcp/index.ts';

/** An episode that is over: nothing runs any more, and an agent that goes on calling reads why. */
export function endedFace(name: string, message: string): McpFace {
  return {
    name,
    tools: () => [],
    call: () => ({
      told: Promise.resolve(toErrorResult(`${message}. No more tools can be called: stop here.`)),
      cancel: () => {},
    }),
  };
}
