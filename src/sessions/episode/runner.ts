import {
  type Awaitable,
  type Checked,
  type CompiledTool,
  cutText,
  type ErrorCode,
  formatProblems,
  invoke,
  NOTHING_TO_SEE,
  type Problem,
  quoteText,
  type ToolEnding,
  toFailure,
  toToolOutput,
} from '../../core/index.ts';
import { resultJson } from '../../protocol/index.ts';
import { runAuthors, runsPlainly } from '../author-code.ts';
import type { RunListener } from '../call.ts';
import { type CallFailure, type RunEnding, refused } from '../call-ending.ts';
import { CallContext } from '../context.ts';
import type { CallSubject } from '../events.ts';
import type { EpisodeOptions } from '../options.ts';
import { reportOverrun, type Stopping } from '../overrun.ts';
import { asAborted, toFailedEnding } from '../tool-failure.ts';
import type { Episode } from './episode.ts';
import { Execution, type Run } from './execution.ts';
import { RebuildJudge } from './rebuild-judge.ts';
import type { RunRequest } from './runtime.ts';
import { type QueuedWork, ToolQueues } from './tool-queues.ts';
import { WaitingRuns } from './waiting-runs.ts';

/** Takes runs of an episode's tools to their end: find the tool, check the input, wait for the turn, run. */
export class Runner {
  protected readonly episode: Episode;
  protected readonly options: EpisodeOptions;
  /** Whether nothing is put around the author's code: then not even a closure is made for it. */
  readonly #isPlain: boolean;
  /** Of an episode that can be built again. */
  readonly #judge: RebuildJudge | undefined;
  /** The queue that all tools share where an episode can be built again: what was done in turns is done again in turns. */
  readonly #sharedQueue: string | undefined;
  #inFlight = 0;
  #isClosed = false;
  // Made when first needed: most episodes have tools that answer at once.
  #queues: ToolQueues | undefined;
  #executing: Execution[] | undefined;
  #waiting: WaitingRuns | undefined;

  constructor(episode: Episode, options: EpisodeOptions) {
    this.episode = episode;
    this.options = options;
    this.#isPlain = runsPlainly(options.observer, episode);
    if (episode.environment.durability === 'none') return;
    this.#judge = new RebuildJudge(episode, options.graceMs);
    this.#sharedQueue = 'all tools';
  }

  run({ call, id, attempt, name, input, bytes, isTrial = false }: RunRequest, listener: RunListener): void {
    const tool = this.episode.tools.get(name);
    if (tool === undefined)
      return listener.ended(refusal('unknown_tool', `'${cutText(name, 200)}' is not a valid tool`));
    const run: Run = { call, id, attempt, tool, listener, isTrial, abort: undefined };
    let checking: Awaitable<Checked>;
    try {
      checking = this.#isPlain
        ? tool.prepare(input, bytes)
        : this.#runAuthors('input', run, () => tool.prepare(input, bytes));
    } catch (thrown) {
      return this.#crash(run, thrown);
    }
    if (!(checking instanceof Promise)) return this.#enqueue(run, checking);
    const checked = checking.then(
      (outcome) => () => this.#enqueue(run, outcome),
      (thrown) => () => this.#crash(run, thrown),
    );
    this.#proceed(run, checked);
  }

  /** Aborts what runs and starts nothing more; returns the tools that are still at work, also those given up before. */
  stop(reason: Error): readonly Stopping[] {
    this.#isClosed = true;
    const executing = [...(this.#executing ?? [])];
    for (const { abort } of executing) abort.abort(reason);
    return executing;
  }

  /** Aborts a run: it ends at once if it has not started, and otherwise its tool hears it from its signal. */
  abort(call: number, reason: string): void {
    for (const work of this.#executing ?? []) if (work.call === call) return work.abortAlone(new Error(reason));
    this.#waiting?.withdraw(call);
  }

  /** Checks run side by side, but a quick one does not overtake: calls of a tool run in the order they came. */
  #proceed(run: Run, checked: Promise<() => void>): void {
    const { call, tool } = run;
    const proceed = async () => {
      const next = await checked;
      if (this.#waiting?.remove(call)) next();
    };
    this.#waits.add(run, () => {});
    if (tool.concurrent) void proceed();
    else this.#enter(`check ${this.#queueOf(tool)}`, (leave) => void proceed().finally(leave));
  }

  get #waits(): WaitingRuns {
    this.#waiting ??= new WaitingRuns();
    return this.#waiting;
  }

  #enqueue(run: Run, checked: Checked): void {
    if (this.#isClosed) return;
    const { tool, listener } = run;
    if (!checked.ok || run.isTrial) return listener.ended(checked.ok ? PASSED : invalidInput(checked.problems));
    listener.accepted();
    const isFree = tool.concurrent || this.#queues === undefined || this.#queues.isFree(this.#queueOf(tool));
    if (isFree) return this.#start(run, checked.value);
    const withdraw = this.#enter(this.#queueOf(tool), (leave) => {
      this.#waiting?.remove(run.call);
      this.#start(run, checked.value, leave);
    });
    this.#waits.add(run, withdraw);
  }

  /** Takes the queue of a tool whose calls run one at a time. */
  #take(tool: CompiledTool): (() => void) | undefined {
    if (tool.concurrent) return undefined;
    this.#queues ??= new ToolQueues();
    return this.#queues.take(this.#queueOf(tool));
  }

  #queueOf(tool: CompiledTool): string {
    return this.#sharedQueue ?? tool.name;
  }

  #enter(queue: string, work: QueuedWork): () => void {
    this.#queues ??= new ToolQueues();
    return this.#queues.enter(queue, work);
  }

  /** Most tools answer at once: only one that does not takes its queue, unless it has waited for that. */
  #start(run: Run, input: unknown, leave?: () => void): void {
    const { tool, listener } = run;
    // The session may have ended while the call waited for its turn.
    if (this.#isClosed) return leave?.();
    if (this.episode.finished && this.options.callsAfterFinish === 'refuse') {
      listener.ended(refusal('episode_finished', 'The episode is finished: no more tools can be called'));
      return leave?.();
    }
    if (this.#inFlight >= this.options.maxCallsInFlight) return this.#hold(run, input, leave);
    listener.running();
    const context = new CallContext(this.episode, run);
    const ending = this.#isPlain
      ? invoke(tool, input, context, run)
      : this.#runAuthors('tool', run, () => invoke(tool, input, context, run));
    if (ending instanceof Promise || this.#judge?.savesStates) this.#follow(run, ending, leave);
    else this.#conclude(run, ending, leave);
  }

  /** Lets a run whose turn has come wait for a place among those in flight. */
  #hold(run: Run, input: unknown, leave: (() => void) | undefined): void {
    const leaveLater = leave ?? this.#take(run.tool);
    const start = () => {
      this.#waiting?.remove(run.call);
      this.#start(run, input, leaveLater);
    };
    this.#waits.hold(run, start, leaveLater);
  }

  /** Takes a run to its end that does not end at once. */
  #follow(run: Run, ending: Awaitable<ToolEnding>, leave: (() => void) | undefined): void {
    const leaveLater = leave ?? this.#take(run.tool);
    this.#inFlight += 1;
    const end = () => {
      this.#inFlight -= 1;
      leaveLater?.();
      this.#startHeld();
    };
    this.#track(
      run,
      Promise.resolve(ending).then((settled) => this.#conclude(run, settled, end)),
    );
  }

  #runAuthors<Value>(part: CallSubject['part'], { call, tool }: Run, run: () => Value): Value {
    const { session, sid, environment } = this.episode;
    const toSubject = () => ({ call, part, tool: tool.name, environment: environment.name, sid, session });
    return runAuthors(this.options.observer, this.episode, toSubject, run);
  }

  /** Starts what waits for a place; a loop, because a tool that answers at once takes none. */
  #startHeld(): void {
    while (this.#inFlight < this.options.maxCallsInFlight) {
      const next = this.#waiting?.takeHeld();
      if (next === undefined) return;
      next();
    }
  }

  #conclude(run: Run, ending: ToolEnding, leave: (() => void) | undefined): Awaitable<void> {
    // A session that has ended has told its calls why.
    if (!this.#isClosed) {
      const told = this.#toRunEnding(ending, run);
      // A concurrent one changes nothing; and another may be halfway through a change.
      if (this.#judge?.savesStates && !run.tool.concurrent)
        return this.#keepState(this.#judge, { run, ending, told, leave });
      run.listener.ended(this.#judge === undefined ? told : this.#judge.withTaint(told, ending, run));
    }
    return ending.kind === 'timed_out' ? this.#leaveLate(run, ending, leave) : leave?.();
  }

  /** Apart from the above, so that no closure is made where no state is saved. */
  async #keepState(judge: RebuildJudge, { run, ending, told, leave }: Concluded): Promise<void> {
    const save = () => this.#runAuthors('tool', run, () => this.episode.save());
    const kept = await judge.withState(told, ending, run.tool, save);
    if (!this.#isClosed) run.listener.ended(kept);
    return ending.kind === 'timed_out' ? this.#leaveLate(run, ending, leave) : leave?.();
  }

  /** It may still be at work: the next call of this tool, and teardown, give it the grace time to end. */
  #leaveLate(run: Run, { ended, timeoutMs }: TimedOut, leave: (() => void) | undefined): void {
    const late = this.#track(run, ended, timeoutMs);
    void reportOverrun(this.options.graceMs, late, this.episode.log).then(leave);
  }

  #track(run: Run, ended: Promise<unknown>, ranMs = 0): Stopping {
    const work = new Execution(run, ended, performance.now() - ranMs);
    this.#executing ??= [];
    this.#executing.push(work);
    void ended.finally(() => this.#executing?.splice(this.#executing.indexOf(work), 1));
    return work;
  }

  #crash(run: Run, thrown: unknown): void {
    if (!this.#isClosed) run.listener.ended(this.#toCrashed(thrown, run));
  }

  /** How a tool ended, as it is kept and sent. */
  #toRunEnding(ending: ToolEnding, run: Run): RunEnding {
    if (ending.kind === 'returned') return this.#toReturned(ending.value, run);
    if (ending.kind === 'crashed') return this.#toCrashed(ending.error, run);
    const { log, secrets } = this.episode;
    const failed = toFailedEnding(ending, run.tool.name, log, secrets);
    return run.isAborted === true ? asAborted(failed) : failed;
  }

  /** Marks the episode finished if the tool says so. */
  #toReturned(value: unknown, run: Run): RunEnding {
    try {
      const output = toToolOutput(value, run.tool);
      const json = resultJson(output, quoteText);
      if (output.blocks === NOTHING_TO_SEE)
        this.episode.log.warn(`tool '${run.tool.name}' returned nothing for the agent to see`);
      // Only now: an output that cannot be sent must not end the episode.
      if (output.finished) this.episode.finished = true;
      return { kind: 'returned', json, reward: output.reward, finished: output.finished };
    } catch (thrown) {
      return this.#toCrashed(thrown, run);
    }
  }

  #toCrashed(thrown: unknown, { tool, isAborted }: Run): RunEnding {
    const failure = toFailure(this.episode.failure(`tool '${tool.name}'`, thrown));
    const crashed: RunEnding = { kind: 'failed', outcome: 'env_error', failure };
    return isAborted === true ? asAborted(crashed) : crashed;
  }
}

function invalidInput(problems: readonly Problem[]): RunEnding {
  return refused(
    { code: 'invalid_input', message: `Tool input validation error: ${formatProblems(problems)}` },
    problems,
  );
}

/** How a trial ends that would run. */
const PASSED: RunEnding = { kind: 'returned', json: '' };

type TimedOut = Extract<ToolEnding, { kind: 'timed_out' }>;

/** A run that has ended, and what is to be told of it. */
interface Concluded {
  readonly run: Run;
  readonly ending: ToolEnding;
  readonly told: RunEnding;
  readonly leave: (() => void) | undefined;
}

function refusal(code: ErrorCode, message: string): RunEnding {
  return refused({ code, message } satisfies CallFailure);
}
