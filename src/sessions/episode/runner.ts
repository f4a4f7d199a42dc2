import {
  type Awaitable,
  type Checked,
  type CompiledTool,
  cutText,
  formatProblems,
  invoke,
  TiltyardError,
  type ToolEnding,
} from '../../core/index.ts';
import type { TraceHeaders } from '../observer.ts';
import type { SessionOptions } from '../options.ts';
import { endsWithin, type Stopping } from '../overrun.ts';
import type { Call } from './call.ts';
import { type CallEnding, toCallEnding } from './call-ending.ts';
import { EpisodeCallContext } from './context.ts';
import type { Episode } from './episode.ts';
import { Lanes, type LaneWork } from './tool-queues.ts';

/** What a client asks for when it calls a tool. */
export interface CallRequest {
  readonly name: string;
  /** Taken over by the call: defaults are written into it. */
  readonly input: object;
  /** About how much memory the input takes. Default: nothing worth counting. */
  readonly bytes?: number;
  readonly taskId?: string | undefined;
  readonly trace?: TraceHeaders | undefined;
}

type RunnerOptions = Pick<SessionOptions, 'callsAfterFinish' | 'graceMs' | 'maxCallsInFlight' | 'observer'>;

/** Takes calls from admission to their end: find the tool, check the input, wait for the turn, run. */
export class Runner {
  readonly #episode: Episode;
  readonly #settle: (call: Call, ending: CallEnding) => void;
  readonly #options: RunnerOptions;
  #inFlight = 0;
  // Made when first needed: an idle session shall be small.
  #lanes: Lanes | undefined;
  #executing: Set<Stopping> | undefined;
  /** Calls whose turn has come and that wait for a place among those in flight. */
  #held: (() => void)[] | undefined;

  constructor(episode: Episode, settle: (call: Call, ending: CallEnding) => void, options: RunnerOptions) {
    this.#episode = episode;
    this.#settle = settle;
    this.#options = options;
  }

  /** The tools that run at this moment, also those whose call has already been given up. */
  get executing(): readonly Stopping[] {
    return [...(this.#executing ?? [])];
  }

  admit(call: Call, { name, input }: CallRequest): void {
    const tool = this.#episode.tool(name);
    if (tool === undefined)
      return this.#refuse(call, new TiltyardError('unknown_tool', `'${cutText(name, 200)}' is not a valid tool`));
    let checking: Awaitable<Checked>;
    try {
      checking = tool.prepare(input);
    } catch (thrown) {
      return this.#crash(call, tool, thrown);
    }
    if (!(checking instanceof Promise)) return this.#queue(call, tool, checking);
    const checked = checking.then(
      (outcome) => () => this.#queue(call, tool, outcome),
      (thrown) => () => this.#crash(call, tool, thrown),
    );
    this.#proceed(tool, checked);
  }

  /** Checks run side by side, but a quick one does not overtake: calls of a tool run in the order they came. */
  #proceed(tool: CompiledTool, checked: Promise<() => void>): void {
    const proceed = () => checked.then((next) => next());
    if (tool.concurrent) void proceed();
    else this.#enter(`check ${tool.name}`, (leave) => void proceed().finally(leave));
  }

  #queue(call: Call, tool: CompiledTool, checked: Checked): void {
    if (call.phase === 'settled') return;
    if (!checked.ok) {
      const message = `Tool input validation error: ${formatProblems(checked.problems)}`;
      return this.#refuse(call, new TiltyardError('invalid_input', message));
    }
    call.accept();
    if (tool.concurrent || this.#isFree(tool.name)) return this.#run(call, tool, checked.value);
    this.#enter(tool.name, (leave) => this.#run(call, tool, checked.value, leave));
  }

  #isFree(lane: string): boolean {
    return this.#lanes === undefined || this.#lanes.isFree(lane);
  }

  /** Takes the lane of a tool whose calls run one at a time. */
  #take({ concurrent, name }: CompiledTool): (() => void) | undefined {
    if (concurrent) return undefined;
    this.#lanes ??= new Lanes();
    return this.#lanes.take(name);
  }

  #enter(lane: string, work: LaneWork): void {
    this.#lanes ??= new Lanes();
    this.#lanes.enter(lane, work);
  }

  /** Most tools answer at once: only one that does not takes its lane, unless it has waited for that. */
  #run(call: Call, tool: CompiledTool, input: unknown, leave?: () => void): void {
    if (this.#episode.finished && this.#options.callsAfterFinish === 'refuse') {
      this.#refuse(call, new TiltyardError('episode_finished', 'The episode is finished: no further tool is run'));
    }
    // Also when the session ended while the call waited for its turn.
    if (call.phase === 'settled') return leave?.();
    if (this.#inFlight >= this.#options.maxCallsInFlight) {
      const leaveLater = leave ?? this.#take(tool);
      this.#held ??= [];
      this.#held.push(() => this.#run(call, tool, input, leaveLater));
      return;
    }
    const { observer } = this.#options;
    call.hasRun = true;
    observer.callRunning(call);
    const context = new EpisodeCallContext(this.#episode, call.abort);
    const ending =
      observer.within === undefined
        ? invoke(tool, input, context, call.abort)
        : observer.within(call, () => invoke(tool, input, context, call.abort));
    if (!(ending instanceof Promise)) return this.#conclude(call, tool, ending, leave);
    const leaveLater = leave ?? this.#take(tool);
    this.#inFlight += 1;
    const end = () => {
      this.#inFlight -= 1;
      leaveLater?.();
      this.#runHeld();
    };
    this.#track(
      tool,
      ending.then((settled) => this.#conclude(call, tool, settled, end)),
    );
  }

  /** Runs what waits for a place; a loop, because a tool that answers at once takes none. */
  #runHeld(): void {
    while (this.#inFlight < this.#options.maxCallsInFlight) {
      const next = this.#held?.shift();
      if (next === undefined) return;
      next();
    }
  }

  #conclude(call: Call, tool: CompiledTool, ending: ToolEnding, leave: (() => void) | undefined): void {
    if (call.phase !== 'settled') this.#settle(call, toCallEnding(ending, tool, this.#episode));
    if (ending.kind !== 'timed_out') return leave?.();
    // It may still be at work: the next call of this tool, and teardown, give it the grace time to end.
    const late = this.#track(tool, ending.ended, ending.timeoutMs);
    void endsWithin(this.#options.graceMs, late, this.#episode.log).then(leave);
  }

  #track(tool: CompiledTool, ended: Promise<unknown>, ranMs = 0): Stopping {
    const work = new Execution(tool, ended, performance.now() - ranMs);
    this.#executing ??= new Set();
    this.#executing.add(work);
    void ended.finally(() => this.#executing?.delete(work));
    return work;
  }

  #refuse(call: Call, error: TiltyardError): void {
    if (call.phase !== 'settled') this.#settle(call, { kind: 'refused', error });
  }

  #crash(call: Call, tool: CompiledTool, thrown: unknown): void {
    if (call.phase !== 'settled')
      this.#settle(call, { kind: 'error', error: this.#episode.failure(`tool '${tool.name}'`, thrown) });
  }
}

/** A tool at work. Its words are made only for the log. */
class Execution implements Stopping {
  readonly startedAt: number;
  readonly ended: Promise<unknown>;
  readonly #tool: CompiledTool;

  constructor(tool: CompiledTool, ended: Promise<unknown>, startedAt: number) {
    this.#tool = tool;
    this.ended = ended;
    this.startedAt = startedAt;
  }

  get what(): string {
    return `tool '${this.#tool.name}'`;
  }
}
