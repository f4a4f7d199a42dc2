import {
  type Awaitable,
  type Checked,
  type CompiledTool,
  formatProblems,
  invoke,
  TiltyardError,
  type ToolOutcome,
} from '../core/index.ts';
import type { Call, CallOutcome } from './call.ts';
import { EpisodeCallContext } from './context.ts';
import type { Episode } from './episode.ts';
import { Lanes } from './lanes.ts';
import { toCallOutcome } from './outcome.ts';

/** What a client asks for when it calls a tool. */
export interface CallRequest {
  readonly name: string;
  /** Taken over by the call: defaults are written into it. */
  readonly input: object;
  readonly taskId?: string | undefined;
}

/** Takes calls from admission to their outcome: find the tool, check the input, wait for the turn, run. */
export class Runner {
  readonly #episode: Episode;
  readonly #settle: (call: Call, outcome: CallOutcome) => void;
  readonly #refuseAfterFinish: boolean;
  // Made when first needed: an idle session shall be small.
  #lanes: Lanes | undefined;
  #executing: Set<Promise<unknown>> | undefined;

  constructor(episode: Episode, settle: (call: Call, outcome: CallOutcome) => void, refuseAfterFinish: boolean) {
    this.#episode = episode;
    this.#settle = settle;
    this.#refuseAfterFinish = refuseAfterFinish;
  }

  /** The tools that run at this moment, also those whose call has already been given up. */
  get executing(): readonly Promise<unknown>[] {
    return [...(this.#executing ?? [])];
  }

  admit(call: Call, { name, input }: CallRequest): void {
    const tool = this.#episode.tool(name);
    if (tool === undefined)
      return this.#refuse(call, new TiltyardError('unknown_tool', `'${name}' is not a valid tool`));
    let checking: Awaitable<Checked>;
    try {
      checking = tool.prepare(input);
    } catch (thrown) {
      return this.#crash(call, tool, thrown);
    }
    if (!(checking instanceof Promise)) return this.#queue(call, tool, checking);
    checking.then(
      (checked) => this.#queue(call, tool, checked),
      (thrown) => this.#crash(call, tool, thrown),
    );
  }

  #queue(call: Call, tool: CompiledTool, checked: Checked): void {
    if (call.phase === 'settled') return;
    if (!checked.ok) {
      const message = `Tool input validation error: ${formatProblems(checked.problems)}`;
      return this.#refuse(call, new TiltyardError('invalid_input', message));
    }
    call.accept();
    if (tool.concurrent) return this.#run(call, tool, checked.value);
    this.#lanes ??= new Lanes();
    this.#lanes.enter(tool.name, (leave) => this.#run(call, tool, checked.value, leave));
  }

  #run(call: Call, tool: CompiledTool, input: unknown, leave?: () => void): void {
    if (this.#episode.finished && this.#refuseAfterFinish) {
      this.#refuse(call, new TiltyardError('episode_finished', 'The episode is finished: no further tool is run'));
    }
    // Also when the session ended while the call waited for its turn.
    if (call.phase === 'settled') return leave?.();
    const outcome = invoke(tool, input, new EpisodeCallContext(this.#episode, call.abort), call.abort);
    if (!(outcome instanceof Promise)) return this.#conclude(call, tool, outcome, leave);
    this.#executing ??= new Set();
    const executing = outcome.then((settled) => {
      this.#executing?.delete(executing);
      this.#conclude(call, tool, settled, leave);
    });
    this.#executing.add(executing);
  }

  #conclude(call: Call, tool: CompiledTool, outcome: ToolOutcome, leave: (() => void) | undefined): void {
    if (call.phase !== 'settled') this.#settle(call, toCallOutcome(outcome, tool, this.#episode));
    leave?.();
  }

  #refuse(call: Call, error: TiltyardError): void {
    if (call.phase !== 'settled') this.#settle(call, { kind: 'refused', error });
  }

  #crash(call: Call, tool: CompiledTool, thrown: unknown): void {
    if (call.phase !== 'settled')
      this.#settle(call, { kind: 'error', error: this.#episode.failure(`tool '${tool.name}'`, thrown) });
  }
}
