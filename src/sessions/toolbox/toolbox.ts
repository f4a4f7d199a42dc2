import { randomUUID } from 'node:crypto';
import {
  type ErrorCode,
  type Failure,
  type Limits,
  type Log,
  NumberMap,
  type ToolIndex,
  toolIndex,
} from '../../core/index.ts';
import { RESULT_NOT_KEPT } from '../../protocol/index.ts';
import { Call, type CallOwner, NOTHING_TO_LEAVE } from '../call.ts';
import { type CallEnding, type RunEnding, refused } from '../call-ending.ts';
import { Counts } from '../counts.ts';
import { type CallFacts, type Observer, UNKNOWN_TOOL } from '../events.ts';
import type { CallListener } from '../host.ts';
import { isNobody } from '../identity.ts';
import { CallersIds } from '../kept/callers-ids.ts';
import type { KeptResults } from '../kept/kept-results.ts';
import { MemoryBudget } from '../memory/memory-budget.ts';
import { deadline, sweepMsFor } from '../time-limit.ts';
import type { CallKeeper, RecalledToolCall } from './call-keeper.ts';
import { isSameRequest, toDigest } from './fingerprint.ts';
import { type ReadyRequest, type RefusedRequest, readRequest } from './read-request.ts';
import { toCrashedEnding } from './tool-ending.ts';
import type { ToolHost, ToolManifest, ToolRequest } from './tool-host.ts';
import type { ToolRuntime } from './tool-runtime.ts';

/** How a toolbox behaves. */
export interface ToolboxOptions {
  readonly limits: Limits;
  readonly log: Log;
  readonly observer: Observer;
  /** What clients may make the server hold, if others count theirs there as well. */
  readonly memory?: MemoryBudget | undefined;
}

// The results of toolkits belong to no session.
const NO_SESSION = 0;

/** Calls tools of toolkits: at most once for each id of a caller's, and kept for a while for those who ask again. */
export class Toolbox implements ToolHost, CallOwner {
  readonly #runtime: ToolRuntime;
  readonly #keeper: CallKeeper | undefined;
  readonly #index: ToolIndex<ToolManifest>;
  readonly #limits: Limits;
  readonly observer: Observer;
  readonly #memory: MemoryBudget;
  readonly #kept: KeptResults;
  /** The ids that callers chose for calls that have ended. */
  readonly #used = new CallersIds();
  readonly #running = new NumberMap<ToolCall>();
  /** Of those, the ones that a caller may ask for again. */
  readonly #repeatable = new Map<string, ToolCall>();
  readonly #callsOf = new Counts();
  readonly #timer: NodeJS.Timeout;
  #draining: Promise<void> | undefined;
  #onQuiet: (() => void) | undefined;

  /** `keeper` runs the tools, and keeps calls for after this process; without it, nothing does. */
  constructor(
    runtime: ToolRuntime,
    { limits, observer, memory = new MemoryBudget(limits) }: ToolboxOptions,
    keeper?: CallKeeper,
  ) {
    this.#runtime = keeper ?? runtime;
    this.#keeper = keeper;
    this.#index = toolIndex(runtime.tools);
    this.#limits = limits;
    this.observer = observer;
    this.#memory = memory;
    this.#kept = memory.kept;
    this.#timer = setInterval(() => this.#kept.sweep(performance.now()), sweepMsFor(limits.lingerMs)).unref();
  }

  get tools(): readonly ToolManifest[] {
    return this.#runtime.tools;
  }

  get isDraining(): boolean {
    return this.#draining !== undefined;
  }

  call(request: ToolRequest, on: CallListener): () => void {
    const startedAt = performance.now();
    const { callId: taskId = randomUUID() } = request;
    const settle = (ending: CallEnding, durationMs = 0) => {
      on({ kind: 'settled', taskId, ending, durationMs });
      return NOTHING_TO_LEAVE;
    };
    // Nothing about the tool matters any more, except to a caller that comes back for a result.
    if (this.isDraining && !this.#isUsed(request))
      return settle(refused({ code: 'shutting_down', message: 'the server is stopping' }));
    const wanted = readRequest(request, this.#index);
    if ('ending' in wanted) {
      this.#observeRefused(request, taskId, wanted);
      return settle(wanted.ending);
    }
    const running = this.#find(request);
    if (running !== undefined) {
      if (!isSameRequest(running.fingerprint, wanted.fingerprint))
        return this.#refuseTaken(REUSED, request, wanted, on);
      return running.attach(on);
    }
    const number = request.callId === undefined ? undefined : this.#used.find(request.identity, request.callId);
    const kept = number === undefined ? undefined : this.#kept.find(number, NO_SESSION, startedAt);
    if (kept !== undefined) {
      if (!isSameRequest(kept.fingerprint, wanted.fingerprint)) return this.#refuseTaken(REUSED, request, wanted, on);
      return settle(kept.ending, kept.durationMs);
    }
    const recalled = this.#recall(request);
    if (recalled !== undefined) {
      if (recalled.asked !== toDigest(wanted.fingerprint)) return this.#refuseTaken(REUSED, request, wanted, on);
      if (recalled.kind === 'ended') return settle(recalled.ending, recalled.durationMs);
    }
    if (number !== undefined) return this.#refuseTaken(NOT_KEPT, request, wanted, on);
    const full = recalled?.kind === 'unknown' ? undefined : this.#fullFor(request);
    if (full !== undefined) return settle(refused(full));
    const call = new ToolCall(this, this.#factsOf(request, taskId, wanted.tool), startedAt, on);
    call.callId = request.callId;
    call.fingerprint = wanted.fingerprint;
    call.inputBytes = request.bytes ?? 0;
    if (recalled?.kind === 'unknown') return this.#tellUnknown(call, request, recalled.ending);
    return this.#start(call, request, wanted, (recalled?.attempts ?? 0) + 1);
  }

  drain(): Promise<void> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  callEnded(ended: Call, ending: RunEnding): void {
    const call = ended as ToolCall;
    const now = performance.now();
    const { durationMs = now - (call.ranAt || call.startedAt) } = ending;
    if (this.#running.delete(call.facts.number)) this.#leave(call);
    // Nothing of a refused call has run: its id is free for a better input.
    if (call.callId !== undefined && ending.kind !== 'refused') {
      const { number, identity } = call.facts;
      const { fingerprint } = call;
      this.#kept.keep(number, { owner: NO_SESSION, ending, durationMs, fingerprint }, now, identity);
      this.#used.add(identity, call.callId, number);
    }
    call.settle(ending, durationMs, now);
    if (this.#running.size === 0) this.#onQuiet?.();
  }

  #factsOf({ identity, traceId, mcpId }: ToolRequest, id: string, tool: ToolManifest | undefined): CallFacts {
    const number = this.#kept.ids.next();
    return { number, id, tool: tool?.definition.id ?? UNKNOWN_TOOL, identity, session: undefined, traceId, mcpId };
  }

  #start(call: ToolCall, request: ToolRequest, { tool, given, input }: ReadyRequest, attempt: number): () => void {
    const { number, id, traceId, identity } = call.facts;
    call.arrived(request.trace);
    const { secrets, authorization, userId } = given;
    const toolId = tool.definition.id;
    // One literal: to spread one object into another takes 5 us here, an eighth of a call.
    const run = { call: number, callId: id, toolId, traceId, input, secrets, authorization, userId };
    if (this.#keeper === undefined || call.callId === undefined) this.#runtime.run(run, call);
    else this.#keeper.runKept(run, { identity, fingerprint: call.fingerprint, attempt }, call);
    if (call.phase === 'settled') return NOTHING_TO_LEAVE;
    this.#enter(call);
    call.pend();
    return () => {
      call.detach();
      // Without an id nobody can come back for the result: a caller that leaves no longer wants it.
      if (call.callId === undefined && call.phase !== 'settled')
        void this.#runtime.abort(number, 'the caller disconnected');
    };
  }

  /** Tells of a call of an earlier server that nobody knows how it ended. */
  #tellUnknown(call: ToolCall, { trace }: ToolRequest, ending: CallEnding): () => void {
    call.arrived(trace);
    call.ended(ending);
    return NOTHING_TO_LEAVE;
  }

  #recall({ identity, callId }: ToolRequest): RecalledToolCall | undefined {
    return callId === undefined ? undefined : this.#keeper?.recall(identity, callId);
  }

  #enter(call: ToolCall): void {
    this.#running.set(call.facts.number, call);
    const { identity } = call.facts;
    if (call.callId !== undefined) this.#repeatable.set(repeatKey(identity, call.callId), call);
    if (!isNobody(identity)) this.#callsOf.add(identity);
    this.#memory.add(identity, call.inputBytes);
  }

  #leave(call: ToolCall): void {
    const { identity } = call.facts;
    if (call.callId !== undefined) this.#repeatable.delete(repeatKey(identity, call.callId));
    if (!isNobody(identity)) this.#callsOf.remove(identity);
    this.#memory.giveBack(identity, call.inputBytes);
  }

  /** The call that runs under the id of a request. */
  #find({ identity, callId }: ToolRequest): ToolCall | undefined {
    if (callId === undefined || this.#repeatable.size === 0) return undefined;
    return this.#repeatable.get(repeatKey(identity, callId));
  }

  #isUsed(request: ToolRequest): boolean {
    const { identity, callId } = request;
    if (callId === undefined) return false;
    return this.#find(request) !== undefined || this.#used.find(identity, callId) !== undefined;
  }

  /** Refuses a call whose id is taken; what is wrong with its input is told first, as it is for every call. */
  #refuseTaken(taken: Taken, request: ToolRequest, { tool, input }: ReadyRequest, on: CallListener): () => void {
    const { callId: taskId = '' } = request;
    const check = this.#runtime.check(tool.definition.id, input).catch(() => undefined);
    void check.then((wrong) => {
      if (wrong !== undefined) this.#observeRefused(request, taskId, { tool, ending: wrong });
      const message = `call_id '${taskId}' was used ${taken.words}`;
      on({ kind: 'settled', taskId, ending: wrong ?? refused({ code: taken.code, message }), durationMs: 0 });
    });
    return NOTHING_TO_LEAVE;
  }

  /** Why such a call is not taken now; undefined if it is. */
  #fullFor({ identity, callId }: ToolRequest): Failure | undefined {
    const { maxToolkitCalls, maxToolkitCallsPerIdentity } = this.#limits;
    if (this.#running.size >= maxToolkitCalls) return tooMany('too many calls are running');
    const isOwnFull = this.#callsOf.of(identity) >= maxToolkitCallsPerIdentity && !isNobody(identity);
    if (isOwnFull) return tooMany(`too many of your calls are running (${maxToolkitCallsPerIdentity})`);
    const strained = this.#memory.isStrained ? this.#memory.refusal(identity, 1) : undefined;
    return strained ?? (callId === undefined ? undefined : this.#keeper?.refusal);
  }

  async #drain(): Promise<void> {
    clearInterval(this.#timer);
    using timeUp = deadline(this.#limits.drainMs);
    await timeUp.or(this.#whenQuiet());
    const reason = 'the server is stopping';
    const stopping = this.#running.values().map(async (call) => {
      await this.#runtime.abort(call.facts.number, reason);
      // A tool that does not listen goes on; its callers cannot wait any longer.
      const thrown = { name: 'Error', message: reason, stack: '' };
      call.ended(toCrashedEnding('cancelled', thrown));
    });
    await Promise.all(stopping);
  }

  async #whenQuiet(): Promise<void> {
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onQuiet = resolve;
    });
  }

  /** Tells of a call that was refused before it could start, as of any other. */
  #observeRefused(request: ToolRequest, id: string, { tool, ending }: RefusedRequest): void {
    const now = performance.now();
    const call = new ToolCall(this, this.#factsOf(request, id, tool), now, () => {});
    call.arrived(request.trace);
    call.settle(ending, 0, now);
  }
}

/** A call of a tool outside any episode. */
class ToolCall extends Call {
  /** The caller's own id; undefined if there can be no repeat. */
  callId: string | undefined;
  fingerprint = '';
  /** About how much memory its input takes while it has not ended. */
  inputBytes = 0;
}

interface Taken {
  readonly code: ErrorCode;
  /** They go on after the id. */
  readonly words: string;
}

const REUSED: Taken = {
  code: 'call_id_reused',
  words: 'for another tool, input or user. Every call needs an id of its own',
};
const NOT_KEPT: Taken = { code: 'result_not_kept', words: `before, and ${RESULT_NOT_KEPT}` };

function tooMany(message: string): Failure {
  return { code: 'too_many_calls', message };
}

// An id may have a line break in it, an identity may not: what stands before the first one is the identity.
function repeatKey(identity: string, callId: string): string {
  return `${identity}\n${callId}`;
}
