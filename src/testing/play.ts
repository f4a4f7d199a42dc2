import type { InputArguments } from '../client/index.ts';
import {
  catalog,
  type Environment,
  type InputOf,
  type Limits,
  type Log,
  silent,
  TiltyardError,
  toFailureError,
  toLimits,
} from '../core/index.ts';
import { JournalKeeper } from '../durable/index.ts';
import { type JsonObject, type RunToolResult, type ToolSpec, textOf, type WireBlock } from '../protocol/index.ts';
import {
  type CallEnding,
  type CallRequest,
  DEFAULT_SESSION_OPTIONS,
  LocalHost,
  LocalRuntime,
  lossOfProcess,
  type SessionHost,
  type SessionRef,
  type SessionRules,
  type TaskChoice,
  toModelText,
} from '../sessions/index.ts';

import { CrashableRuntime } from './crashable-runtime.ts';

/** Which episode to play: a task of a split, or a task of your own. */
export type PlayOptions = ({ readonly split: string; readonly index: number } | { readonly task: object }) & {
  /** What the environment gets as `secrets`. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Where the episode writes its log. Default: nowhere. */
  readonly log?: Log;
  /** Limits, as a server has them; but calls are aborted at once when the episode is closed. */
  readonly limits?: Partial<Limits>;
  /** What the session allows, as on a server. */
  readonly sessions?: Partial<SessionRules>;
};

/** What one call gave. */
export interface PlayedStep {
  readonly blocks: readonly WireBlock[];
  /** The text of all blocks, which is what most tests look at. */
  readonly text: string;
  readonly reward: number | null;
  readonly finished: boolean;
  readonly metadata: JsonObject | null;
}

/** An episode in this process: the same code as behind a server, without the server. */
export interface PlayedEpisode<Inputs> extends AsyncDisposable {
  /** What the agent reads first; waits for setup. */
  prompt(): Promise<readonly WireBlock[]>;
  /** The tools of this episode, those of its task included. */
  tools(): Promise<readonly ToolSpec[]>;
  /** Calls a tool; rejects if the call is refused, reports a failure, or breaks. */
  call<Name extends keyof Inputs & string>(
    name: Name,
    ...input: InputArguments<InputOf<Inputs[Name]>>
  ): Promise<PlayedStep>;
  /**
   * Ends the process of the episode, as far as one can see from here: what runs is not heard of any more, and nothing is torn down. The
   * next call finds the episode as its `durability` has kept it, or lost. Code that is running goes on, unlike in a real crash.
   */
  crash(): void;
  /** Ends the episode; its teardown has run when this resolves. */
  close(): Promise<void>;
}

/** Plays an episode of an environment in this process. `await using` ends it with the block. */
export async function play<Schema, Listed, State, Inputs>(
  environment: Environment<Schema, Listed, State, Inputs>,
  { secrets = {}, log = silent, limits: given, sessions, ...choice }: PlayOptions,
): Promise<PlayedEpisode<Inputs>> {
  const limits = toLimits({ drainMs: 0, ...given });
  const options = { ...DEFAULT_SESSION_OPTIONS, ...limits, ...sessions, log };
  const local = new LocalRuntime(catalog([environment], { lenient: true, limits }), options);
  const runtime = new CrashableRuntime(local);
  const host = new LocalHost(runtime, options, new JournalKeeper(runtime, options));
  // Through JSON, as over a wire: what cannot travel must not pass a test either.
  const wanted: TaskChoice = 'task' in choice ? { task: choice.task as JsonObject } : choice;
  await host.create(EPISODE, { choice: throughJson(wanted), secrets });
  const close = () => host.drain('deleted');
  return {
    prompt: () => host.prompt(EPISODE),
    tools: () => host.tools(EPISODE),
    async call(name, input = {} as never) {
      const ending = await settled(host, { name, input: throughJson(input) as object });
      if (ending.kind === 'returned') return toStep(ending.json);
      throw toRejection(ending);
    },
    crash() {
      runtime.crash(lossOfProcess('crash() was called', 0));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

// The only one of its host.
const EPISODE: SessionRef = { identity: '', sid: 'play' };

function throughJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

function settled(host: SessionHost, request: CallRequest): Promise<CallEnding> {
  return new Promise((resolve) => {
    host.call(EPISODE, request, (event) => {
      if (event.kind === 'settled') resolve(event.ending);
    });
  });
}

function toRejection(ending: Exclude<CallEnding, { kind: 'returned' }>): TiltyardError {
  const { failure } = ending;
  if (ending.kind === 'refused' || failure.code !== 'tool_failed') return toFailureError(failure);
  return new TiltyardError('tool_failed', toModelText(failure, ending.outcome));
}

function toStep(json: string): PlayedStep {
  const result = JSON.parse(json) as Extract<RunToolResult, { ok: true }>;
  return { ...result.output, text: textOf(result.output.blocks) };
}
