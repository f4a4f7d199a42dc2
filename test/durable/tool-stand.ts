import { onTestFinished } from 'vitest';
import { DEFAULT_LIMITS, type Limits, silent, type Toolkit, toolkitCatalog } from '../../src/core/index.ts';
import { CallJournal, KeptTools, SecondChanceTools, type ToolCallRecord } from '../../src/durable/index.ts';
import { type Journal, openJournal } from '../../src/journal/index.ts';
import {
  type CallEnding,
  type HostEvent,
  LocalToolRuntime,
  type RunListener,
  refused,
  Toolbox,
  type ToolRequest,
  type ToolRun,
  type ToolRuntime,
} from '../../src/sessions/index.ts';
import { HeardCall } from '../support/host.ts';

/** A toolbox whose calls are kept. */
export interface KeepingToolbox {
  readonly toolbox: Toolbox;
  readonly calls: CallJournal;
  readonly journal: Journal<ToolCallRecord>;
  readonly events: readonly HostEvent[];
  /** The process that runs the tools ends; `refusing`: there is none for the next run. */
  crash(options?: { readonly refusing: boolean }): void;
  /** Calls a tool, and writes down what is heard of it. */
  hear(toolId: string, request: Partial<ToolRequest>): HeardCall;
  /** Calls a tool, and waits for its end, as it is told. */
  call(toolId: string, request: Partial<ToolRequest>): Promise<CallEnding & { durationMs: number }>;
  /** The server ends, without a word to anybody. */
  die(): Promise<void>;
}

/** How a toolbox keeps. */
export interface KeepingToolOptions {
  readonly folder?: string;
  readonly keys?: readonly Buffer[];
  /** Instead of one in a folder. */
  readonly journal?: Journal<ToolCallRecord>;
  readonly limits?: Partial<Limits>;
}

/** Makes a toolbox; what an earlier one left in the folder is taken over. */
export async function keepingToolbox(
  kit: Toolkit,
  { folder = '', keys = [], journal: given, limits: changes }: KeepingToolOptions,
): Promise<KeepingToolbox> {
  const events: HostEvent[] = [];
  const observer = { on: (event: HostEvent) => void events.push(event) };
  const limits = { ...DEFAULT_LIMITS, drainMs: 0, graceMs: 20, ...changes };
  const catalog = toolkitCatalog([kit], { lenient: false, limits });
  const crashable = new CrashableTools(new LocalToolRuntime(catalog, { ...limits, log: silent, observer }));
  const opened = given === undefined ? await openJournal<ToolCallRecord>(folder, { keys }) : undefined;
  const journal = given ?? (opened as Journal<ToolCallRecord>);
  const servedSince = opened && ((at: number) => opened.servedSince(at));
  const calls = new CallJournal(journal, { ...limits, servedSince, log: silent, onFenced() {} });
  await calls.recover();
  const runtime = new SecondChanceTools(crashable);
  const toolbox = new Toolbox(runtime, { limits, log: silent, observer }, new KeptTools(runtime, calls, limits));
  const close = async () => {
    await calls.close();
    await journal.close();
  };
  onTestFinished(async () => {
    await toolbox.drain();
    await close();
  });
  const hear = (toolId: string, request: Partial<ToolRequest>) => {
    const heard = new HeardCall();
    const whole = toWhole(toolId, request);
    heard.leave = toolbox.call(whole, (event) => void heard.events.push(event));
    return heard;
  };
  return {
    toolbox,
    calls,
    journal,
    events,
    crash: (crash) => crashable.crash(crash),
    hear,
    call: (toolId, request) =>
      new Promise((resolve) => {
        toolbox.call(toWhole(toolId, request), (event) => {
          // As answers have it.
          if (event.kind === 'settled') resolve({ ...event.ending, durationMs: Math.round(event.durationMs) });
        });
      }),
    die: close,
  };
}

const NOBODYS = { identity: '', callId: undefined, context: undefined, traceId: undefined, scopes: undefined };

function toWhole(toolId: string, { input = {}, ...request }: Partial<ToolRequest>): ToolRequest {
  // A call takes its input over, and may change it.
  return { ...NOBODYS, toolId, input: structuredClone(input), ...request };
}

/** Tools whose process can end under them: nothing more is heard of what ran there. */
class CrashableTools implements ToolRuntime {
  readonly #runtime: ToolRuntime;
  readonly #running = new Map<number, RunListener>();
  #isRefusing = false;

  constructor(runtime: ToolRuntime) {
    this.#runtime = runtime;
  }

  get tools() {
    return this.#runtime.tools;
  }

  check(toolId: string, input: unknown) {
    return this.#runtime.check(toolId, input);
  }

  run(run: ToolRun, listener: RunListener): void {
    if (this.#isRefusing) {
      this.#isRefusing = false;
      return listener.ended(refused({ code: 'no_worker', message: 'no worker process is running' }));
    }
    this.#running.set(run.call, listener);
    const isLost = () => this.#running.get(run.call) !== listener;
    this.#runtime.run(run, {
      accepted: () => void (isLost() || listener.accepted()),
      running: () => void (isLost() || listener.running()),
      ended: (ending) => {
        if (isLost()) return;
        this.#running.delete(run.call);
        listener.ended(ending);
      },
    });
  }

  abort(call: number, reason: string) {
    return this.#runtime.abort(call, reason);
  }

  crash({ refusing } = { refusing: false }): void {
    this.#isRefusing = refusing;
    const lost = [...this.#running.values()];
    this.#running.clear();
    const failure = { code: 'environment_failed', message: 'the worker process was lost' } as const;
    for (const listener of lost)
      listener.ended({ kind: 'failed', outcome: 'env_error', failure, lostWith: 'it was ended by SIGKILL' });
  }
}

/** What a call returned; of a failure, its code. */
export function toldValue(ending: CallEnding | undefined): unknown {
  if (ending === undefined) return undefined;
  return ending.kind === 'returned' ? JSON.parse(ending.json) : ending.failure.code;
}
