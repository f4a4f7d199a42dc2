import {
  listedToolkitTool,
  type McpCall,
  type McpFace,
  type McpResult,
  type McpTool,
  type RunningCall,
  toErrorResult,
  unknownCall,
} from '../../mcp/index.ts';
import type { WireCallContext } from '../../protocol/index.ts';
import { isVisible, type ToolHost, type ToolRequest } from '../../sessions/index.ts';
import type { ReturnErrors } from '../http/errors.ts';
import { settledCall } from './settled-call.ts';
import type { ListedVersions, NamedTool, ToolkitNames } from './toolkit-names.ts';
import { toToolkitResult } from './toolkit-result.ts';

/** Which tools, for whom. */
export interface ToolkitFaceOptions {
  readonly host: ToolHost;
  readonly names: ToolkitNames;
  readonly versions: ListedVersions;
  /** Who asks, what they hand over, and what is known of their request. */
  readonly caller: Pick<ToolRequest, 'identity' | 'scopes' | 'bytes' | 'trace'> & {
    readonly context: WireCallContext | undefined;
  };
  readonly returnErrors: ReturnErrors;
}

/** The tools of toolkits. */
export class ToolkitFace implements McpFace {
  readonly name = 'tools';
  readonly #options: ToolkitFaceOptions;

  constructor(options: ToolkitFaceOptions) {
    this.#options = options;
  }

  tools(): readonly McpTool[] {
    return this.#list(this.#options.versions).map(({ name, tool }) =>
      listedToolkitTool(name, tool.definition, tool.annotations),
    );
  }

  call({ name, input, mcpId, callId }: McpCall): RunningCall {
    const { host, caller, returnErrors } = this.#options;
    // Whatever was listed, a tool may be called under all its names.
    const named = this.#list('all').find((each) => each.name === name);
    if (named === undefined) return unknownCall(name);
    const { tool } = named;
    const asked = { ...caller, toolId: tool.definition.id, input, callId, mcpId, traceId: undefined };
    let leave = () => {};
    const ended = settledCall((on) => {
      leave = host.call(asked, on);
    });
    // The host tells nothing to a caller that has left; but its request is still open.
    let giveUp: (result: McpResult) => void = () => {};
    const givenUp = new Promise<McpResult>((resolve) => {
      giveUp = resolve;
    });
    return {
      told: Promise.race([ended.then((ending) => toToolkitResult(ending, tool, returnErrors)), givenUp]),
      cancel() {
        leave();
        giveUp(toErrorResult('the call was cancelled'));
      },
    };
  }

  #list(versions: ListedVersions): readonly NamedTool[] {
    const { names, caller } = this.#options;
    return names.list(versions, (tool) => isVisible(caller.scopes, tool));
  }
}
