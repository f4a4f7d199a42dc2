import { CLIENT_TASK_ID, type ToolSpec, type WireBlock } from '../protocol/index.ts';
import { readPrompt, readTools } from './answers.ts';
import { Asked } from './asked.ts';
import { assertInput, callTool, type IdChoice } from './call.ts';
import { type CallOptions, Deadline, type OperationBounds } from './deadline.ts';
import { End } from './end.ts';
import { ClientError, HttpError, SessionTerminated } from './errors.ts';
import { followSignal } from './follow-signal.ts';
import { type ProviderFormat, type ProviderTools, type ToolsOptions, toProviderTools } from './formats/index.ts';
import { toTerminated } from './gone.ts';
import { KnownInstance } from './instance.ts';
import { beginEpisode, type OpenContext, type SessionRequest } from './open-session.ts';
import type { Pinged, Pinger } from './pinger.ts';
import { readJson } from './read-json.ts';
import type { Reader } from './reading.ts';
import { withRetries } from './retry.ts';
import type { CallResult, InputArguments, InputsOf, ToolInput } from './types.ts';
import type { Answer } from './wire.ts';

/** What a session needs of its client. */
export interface SessionContext extends OpenContext {
  readonly pinger: Pinger;
  readonly onUnknown: 'fail' | 'repeat';
}

// One lost ping says little; this many in a row say that nobody answers.
const MAX_FAILED_PINGS = 5;

/** An episode on a server. Kept alive by pings until it is closed; `await using` closes it. */
export class Session<Env = unknown> implements AsyncDisposable, Pinged {
  /** The session's id, by which others can `attach`. */
  readonly sid: string;
  readonly #context: SessionContext;
  readonly #ids: IdChoice;
  readonly #instance: KnownInstance;
  /** Comes when nothing more can be asked; whoever asks later fails with its reason. */
  readonly #over = new End();
  /** Comes when the calls that run are given up, too. */
  readonly #cut = new End();
  /** What closing has to do on the server; 'try' once it no longer answers. */
  #deletion: 'needed' | 'try' | 'done' = 'needed';
  /** Whether the server gave out the id: such an id has to be given back. */
  #isIssued = true;
  /** Whether the setup is known to be over. */
  #isReady = false;
  readonly #asked = new Asked();
  #failedPings = 0;
  #pinging: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #unfollow: (() => void) | undefined;

  private constructor(sid: string, context: SessionContext, ids: IdChoice, instance: KnownInstance) {
    this.sid = sid;
    this.#context = context;
    this.#ids = ids;
    this.#instance = instance;
  }

  /** Begins an episode. */
  static async open<Env>(context: SessionContext, request: SessionRequest<Env>): Promise<Session<Env>> {
    const instance = new KnownInstance();
    const begun = await beginEpisode({ ...context, instance }, request as SessionRequest<unknown>);
    const { sid, features, isIssued } = begun;
    const session = new Session<Env>(sid, context, { byClient: features.includes(CLIENT_TASK_ID) }, instance);
    session.#isIssued = isIssued;
    session.#live(request.signal);
    return session;
  }

  /** Takes part in an episode that somebody else has begun, and ends. */
  static attach<Env>(context: SessionContext, sid: string, signal: AbortSignal | undefined): Session<Env> {
    // What the server announced was told to somebody else; a call finds out by itself whether it may choose its id.
    const session = new Session<Env>(sid, context, { byClient: true }, new KnownInstance());
    session.#deletion = 'done';
    session.#live(signal);
    return session;
  }

  /** What the agent reads first. Waits for the environment's setup, however long that takes. */
  prompt(options: CallOptions = {}): Promise<WireBlock[]> {
    return this.#asked.add(this.#read('prompt', readPrompt, options));
  }

  /** The tools of this episode, those of its task included. */
  tools(options?: Partial<ToolsOptions<undefined>>): Promise<ToolSpec[]>;
  /** The same in the format of a model provider. */
  tools<Format extends ProviderFormat>(options: ToolsOptions<Format>): Promise<ProviderTools<Format>>;
  tools({ format, ...options }: Partial<ToolsOptions<ProviderFormat | undefined>> = {}): Promise<unknown> {
    const read: Reader<unknown> = (body) => {
      const tools = readTools(body);
      return format === undefined ? tools : toProviderTools(tools, format);
    };
    return this.#asked.add(this.#readTools(read, options));
  }

  /**
   * Calls a tool: exactly once, also when the connection drops. Rejects with ToolCallError for what the model should
   * read, ToolFailed when the tool broke, OutcomeUnknown when nobody can say whether it ran. A failed setup is HttpError
   * with the code `setup_failed`; ToolFailed if it failed when the call had been announced, as the stream has no codes.
   */
  call<Name extends keyof InputsOf<Env> & string>(
    name: Name,
    ...[input = {} as never, options = {}]: InputArguments<ToolInput<Env, Name>, [options?: CallOptions]>
  ): Promise<CallResult> {
    return this.#asked.add(this.#call(name, input, options));
  }

  /** Keeps the session alive; the client does this by itself. */
  ping(): Promise<void> {
    // One at a time: pings to a server that hangs must not pile up.
    this.#pinging ??= this.#ping().finally(() => {
      this.#pinging = undefined;
    });
    return this.#pinging;
  }

  /** Ends the episode; its teardown has run when this returns. Safe to call twice. */
  close(options: CallOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  /** Closes the session at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #call(name: string, input: unknown, options: CallOptions): Promise<CallResult> {
    assertInput(input);
    const operation = { what: `the call of '${name}'`, until: this.#cut };
    return this.#within(operation, options, async (signal) => {
      // A call may wait for setup longer than the platform waits for an answer. Without an id it could not be repeated
      // then; a read can.
      if (!this.#ids.byClient && !this.#isReady) await this.#readTools(() => {}, { signal });
      const known = { ids: this.#ids, instance: this.#instance };
      return callTool({ ...this.#context, ...known, sid: this.sid, name, input, signal });
    });
  }

  async #ping(): Promise<void> {
    const { transport, silenceMs } = this.#context;
    const { sid } = this;
    using deadline = new Deadline({ what: 'the ping', sid }, { timeoutMs: silenceMs }, this.#over);
    try {
      await transport.ask({ method: 'POST', path: '/ping', sid, signal: deadline.end });
      this.#failedPings = 0;
    } catch (error) {
      if (this.#over.aborted) return;
      this.#failedPings += 1;
      const terminated = toTerminated(error);
      if (terminated !== undefined) this.#lose(terminated);
      else if (this.#failedPings >= MAX_FAILED_PINGS) this.#giveUp(error);
    }
  }

  async #close(options: CallOptions): Promise<void> {
    const { sid } = this;
    const deletion = this.#deletion;
    // A forgotten `await` must not end the whole program, whose author would look for the mistake in here.
    this.#asked.excuse();
    this.#end(CLOSED);
    if (deletion === 'done') return;
    using deadline = new Deadline({ what: 'closing the session', sid }, options);
    const attempts = deletion === 'try' ? 1 : this.#context.retry.attempts;
    for (const path of this.#isIssued ? ['/delete', '/delete_session'] : ['/delete']) {
      try {
        await this.#send({ method: 'POST', path, signal: deadline.end, attempts });
      } catch (error) {
        // Some servers have no /delete_session, and of one that does not answer the caller has heard already.
        const isNeeded = path === '/delete' && deletion === 'needed';
        if (isNeeded && !isMissing(error)) throw error;
      }
    }
  }

  #live(signal: AbortSignal | undefined): void {
    this.#context.pinger.add(this);
    this.#follow(signal);
  }

  #follow(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    const onAbort = () => this.#end(signal.reason);
    if (signal.aborted) return onAbort();
    // A signal may outlive thousands of sessions.
    this.#unfollow = followSignal(signal, onAbort);
  }

  /** The server no longer has the session. Calls that run are left to hear their own end, which may be a result. */
  #lose(terminated: SessionTerminated): void {
    this.#deletion = 'done';
    this.#stop(terminated);
  }

  /** Nobody answers: what runs would wait in vain. */
  #giveUp(cause: unknown): void {
    this.#deletion = 'try';
    const { sid } = this;
    const { status, code } = cause instanceof ClientError ? cause : {};
    const message = `the session is over: ${MAX_FAILED_PINGS} pings in a row failed`;
    // How the episode ends is not for a ping to say, whatever its status.
    this.#end(new SessionTerminated(message, { sid, status, code, cause, outcome: undefined }));
  }

  /** Ends what is asked from now on, and reads that wait; whoever comes second changes nothing. */
  #stop(reason: unknown): void {
    this.#context.pinger.remove(this);
    this.#over.come(reason);
  }

  /** Ends all that runs as well. */
  #end(reason: unknown): void {
    this.#stop(reason);
    this.#unfollow?.();
    this.#cut.come(reason);
  }

  async #read<Value>(
    what: 'prompt' | 'task_tools' | 'tools',
    read: Reader<Value>,
    options: OperationBounds,
  ): Promise<Value> {
    const path = `/${encodeURIComponent(this.#context.environment)}/${what}`;
    // What is read of a session that is over is of no use.
    const value = await this.#within({ what, until: this.#over }, options, async (signal) => {
      const request = { method: 'GET', path, signal } as const;
      return readJson(await this.#send({ ...request, patient: true }), { ...request, sid: this.sid }, read);
    });
    this.#isReady = true;
    return value;
  }

  async #readTools<Value>(read: Reader<Value>, options: OperationBounds): Promise<Value> {
    try {
      return await this.#read('task_tools', read, options);
    } catch (error) {
      if (isMissingRoute(error)) return this.#read('tools', read, options);
      throw error;
    }
  }

  #send({ method, path, signal, attempts, patient = false }: SessionQuestion): Promise<Answer> {
    const { transport, retry } = this.#context;
    return withRetries(`${method} ${path}`, () => transport.ask({ method, path, sid: this.sid, signal }), {
      retry: attempts === undefined ? retry : { ...retry, attempts },
      signal,
      patient,
    });
  }

  async #within<Value>(
    { what, until }: Bounded,
    options: OperationBounds,
    run: (until: End) => Promise<Value>,
  ): Promise<Value> {
    if (this.#over.reason === CLOSED) throw new SessionTerminated(CLOSED.message, { sid: this.sid });
    this.#over.throwIfAborted();
    using deadline = new Deadline({ what, sid: this.sid }, options, until);
    deadline.end.throwIfAborted();
    try {
      return await run(deadline.end);
    } catch (error) {
      if (error === CLOSED) throw toAbandoned(what, this.sid);
      const terminated = toTerminated(error);
      if (terminated === undefined) throw error;
      this.#lose(terminated);
      throw terminated;
    }
  }
}

/** Something a session does, and what ends it early. */
interface Bounded {
  readonly what: string;
  readonly until: End;
}

/** A request of a session that is answered at once, or by and by. */
interface SessionQuestion {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly signal: End;
  readonly attempts?: number;
  /** Whether the answer waits for setup. */
  readonly patient?: boolean;
}

// Why what runs ends when the program closes the session; one for all, since most sessions have nobody left to hear it. Without an outcome: a
// call that is given up may end by itself before the server hears of the end, or go on.
const CLOSED = new SessionTerminated('the session was closed');

// Names it: there is most likely an `await` missing.
function toAbandoned(what: string, sid: string): SessionTerminated {
  return new SessionTerminated(`the session was closed before ${what} had ended: await it first`, { sid });
}

// A server without a route says just that; any other 404 means something.
function isMissingRoute(error: unknown): boolean {
  if (!(error instanceof HttpError)) return false;
  const { status, code, detail } = error;
  return status === 404 && code === undefined && detail === 'Not Found';
}

// Already gone is what was wanted.
function isMissing(error: unknown): boolean {
  return error instanceof ClientError && [404, 405, 410].includes(error.status ?? 0);
}
