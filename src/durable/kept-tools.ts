import { type Effects, type Failure, NumberMap } from '../core/index.ts';
import {
  type CallKeeper,
  isEmpty,
  type KeptRequest,
  type RecalledToolCall,
  type RunEnding,
  type RunListener,
  refused,
  settlesWithin,
  type ToolManifest,
  type ToolRun,
  type ToolRuntime,
  toDigest,
} from '../sessions/index.ts';
import type { CallJournal } from './call-journal.ts';
import { toolOutcomeUnknown } from './end-record.ts';
import type { ToolBeginRecord } from './records.ts';
import { UNAVAILABLE } from './unavailable.ts';

/** A call that is kept, and has not ended. */
interface UnderWay {
  isAborted: boolean;
  /** Resolves when its ending was told. */
  told: Promise<void>;
}

/** Runs tools of toolkits whose calls outlive this server, if their callers gave them ids. */
export class KeptTools implements CallKeeper {
  readonly tools: readonly ToolManifest[];
  readonly #runtime: ToolRuntime;
  readonly #calls: CallJournal;
  readonly #graceMs: number;
  readonly #effects: ReadonlyMap<string, Effects>;
  readonly #underWay = new NumberMap<UnderWay>();

  constructor(runtime: ToolRuntime, calls: CallJournal, { graceMs }: { readonly graceMs: number }) {
    this.tools = runtime.tools;
    this.#runtime = runtime;
    this.#calls = calls;
    this.#graceMs = graceMs;
    this.#effects = new Map(runtime.tools.map(({ definition, effects }) => [definition.id, effects]));
  }

  get refusal(): Failure | undefined {
    return this.#calls.refusal;
  }

  check(toolId: string, input: unknown): Promise<RunEnding | undefined> {
    return this.#runtime.check(toolId, input);
  }

  run(run: ToolRun, listener: RunListener): void {
    this.#runtime.run(run, listener);
  }

  recall(identity: string, callId: string): RecalledToolCall | undefined {
    const call = this.#calls.read(identity, callId);
    if (call === undefined) return undefined;
    const { begin, end } = call;
    const { asked, tool, attempt } = begin;
    if (end !== undefined) return { kind: 'ended', asked, ending: end.ending, durationMs: end.durationMs };
    if (this.#effects.get(tool) === 'idempotent') return { kind: 'unfinished', asked, attempts: attempt };
    return { kind: 'unknown', asked, ending: toolOutcomeUnknown(tool, 'the server has ended while it was called') };
  }

  runKept(run: ToolRun, asked: KeptRequest, listener: RunListener): void {
    const underWay: UnderWay = { isAborted: false, told: Promise.resolve() };
    this.#underWay.set(run.call, underWay);
    underWay.told = this.#run(run, asked, listener, underWay).then((ending) => {
      this.#underWay.delete(run.call);
      listener.ended(ending);
    });
  }

  async abort(call: number, reason: string): Promise<void> {
    const underWay = this.#underWay.get(call);
    if (underWay !== undefined) underWay.isAborted = true;
    await this.#runtime.abort(call, reason);
    // How it ended is told when it is written, and a disk may be full.
    if (underWay !== undefined) await settlesWithin(underWay.told, this.#graceMs);
  }

  async #run(
    run: ToolRun,
    { identity, fingerprint, attempt }: KeptRequest,
    listener: RunListener,
    underWay: UnderWay,
  ): Promise<RunEnding> {
    const { callId, toolId: tool } = run;
    const asked = toDigest(fingerprint);
    let begin: ToolBeginRecord = { type: 'tool_begin', v: 1, at: Date.now(), identity, callId, tool, asked, attempt };
    if (!(await this.#calls.begin(begin))) return refused(UNAVAILABLE);
    const ranAt = performance.now();
    const ending: RunEnding = underWay.isAborted
      ? refused({ code: 'shutting_down', message: 'the server is stopping' })
      : await new Promise((ended) => {
          const repeating = (next: number) => {
            begin = { ...begin, at: Date.now(), attempt: next };
            return this.#calls.beginAgain(begin);
          };
          this.#runtime.run({ ...run, attempt }, { ...passedOn(listener), repeating, ended });
        });
    const durationMs = performance.now() - ranAt;
    await this.#conclude(run, begin, ending, durationMs);
    return { ...ending, durationMs };
  }

  async #conclude(run: ToolRun, begin: ToolBeginRecord, ending: RunEnding, durationMs: number): Promise<void> {
    const isRefused = ending.kind === 'refused';
    // Nothing of it has run, and its id is free for a better input.
    if (isRefused && begin.attempt === 1) return this.#calls.drop(begin);
    const at = Date.now();
    // Of one whose earlier run was cut off, that it began is kept: the next run must have another number.
    if (!isRefused && this.#mayWrite(run)) await this.#calls.end(begin, { type: 'tool_end', at, ending, durationMs });
    else this.#calls.settle(begin, at);
  }

  /** Results may quote secrets, so without a key only that it began is written of a call that came with some. */
  #mayWrite({ secrets, authorization }: ToolRun): boolean {
    return this.#calls.isEncrypted || (isEmpty(secrets) && isEmpty(authorization));
  }
}

function passedOn(listener: RunListener): Pick<RunListener, 'accepted' | 'running'> {
  return { accepted: () => listener.accepted(), running: () => listener.running() };
}
