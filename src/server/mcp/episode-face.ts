import { type Awaitable, TiltyardError } from '../../core/index.ts';
import {
  instructionsFor,
  type McpCall,
  type McpFace,
  type McpTool,
  type RunningCall,
  toErrorResult,
  toMcpTool,
} from '../../mcp/index.ts';
import type { WireBlock } from '../../protocol/index.ts';
import type { CallRequest, EnvironmentManifest, SessionHost, SessionRef } from '../../sessions/index.ts';
import { toDetail } from '../http/errors.ts';
import { type ResultOptions, toEpisodeResult } from './episode-result.ts';
import { settledCall } from './settled-call.ts';

/** Which episode, for whom. */
export interface EpisodeFaceOptions extends ResultOptions {
  readonly host: SessionHost;
  readonly ref: SessionRef;
  readonly environment: EnvironmentManifest;
  /** What is known of its request: about how much memory it takes, and its trace. */
  readonly request: Pick<CallRequest, 'bytes' | 'trace'>;
  /** Begins the episode if it has not begun; left out: it has. */
  readonly begin?: (() => Promise<void>) | undefined;
  /** Whether its setup has ended well by now. */
  readonly isReady: boolean;
}

/** An episode, for the agent that acts in it, or for an orchestrator that lets one act. */
export class EpisodeFace implements McpFace {
  readonly #options: EpisodeFaceOptions;
  /** Only for orchestrators: they give the task to the agent in their own way. */
  readonly prompt?: () => Promise<readonly WireBlock[]>;
  readonly instructions?: () => Promise<string>;

  constructor(options: EpisodeFaceOptions) {
    this.#options = options;
    if (options.reader === 'agent') return;
    this.prompt = () => this.#begun(() => options.host.prompt(options.ref));
    this.instructions = () => this.#instructions();
  }

  get name(): string {
    return this.#options.environment.name;
  }

  async tools(): Promise<readonly McpTool[]> {
    const { host, ref, environment } = this.#options;
    const { sharedTools, allTools, annotations } = environment;
    const isSame = sharedTools.length === allTools.length;
    // Only where they depend on the task must its setup have ended.
    const specs = isSame ? sharedTools : await this.#begun(() => host.tools(ref));
    return specs.map((spec) => toMcpTool(spec, annotations[spec.name]));
  }

  call({ name, input, mcpId, callId: taskId }: McpCall): RunningCall {
    const { host, ref, request, begin, environment } = this.#options;
    const asked = { ...request, environment: environment.name, name, input, taskId, mcpId, leaveAborts: true };
    let leave = () => {};
    let isCancelled = false;
    const start = async () => {
      await begin?.();
      return settledCall((on) => {
        leave = host.call(ref, asked, on);
        if (isCancelled) leave();
      });
    };
    return {
      told: start().then(
        (ending) => toEpisodeResult(ending, this.#options),
        (thrown) => toErrorResult(this.#explain(thrown)),
      ),
      cancel: () => {
        isCancelled = true;
        leave();
      },
    };
  }

  /** Never waits for setup, and never starts one: clients connect before their user has decided anything. */
  async #instructions(): Promise<string> {
    const { environment, isReady } = this.#options;
    const prompt = this.prompt;
    const isThere = isReady || !environment.hasSetup;
    const blocks = isThere && prompt !== undefined ? await prompt().catch(() => undefined) : undefined;
    return instructionsFor(environment.name, blocks);
  }

  async #begun<Value>(act: () => Awaitable<Value>): Promise<Value> {
    await this.#options.begin?.();
    return act();
  }

  #explain(thrown: unknown): string {
    if (thrown instanceof TiltyardError) return toDetail(thrown, this.#options.returnErrors);
    throw thrown;
  }
}
