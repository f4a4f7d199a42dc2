import {
  type CallToolRequest,
  type JsonObject,
  OUTCOME_UNKNOWN,
  OXP_SCHEMA,
  RESULT_NOT_KEPT,
  type WireCallContext,
} from '../protocol/index.ts';
import { isHarmless, toMaxRetries, toRestarted } from './call-errors.ts';
import { newCallId } from './call-ids.ts';
import type { End } from './end.ts';
import { OutcomeUnknown } from './errors.ts';
import { type KnownInstance, OtherInstance } from './instance.ts';
import { outcomeIn, type SentResult, toSentResult } from './oxp-answers.ts';
import { OxpServerError, OxpToolError } from './oxp-errors.ts';
import { readJson } from './read-json.ts';
import { isPassing, pause, type RetryOptions, withRetries } from './retry.ts';
import type { Transport } from './transport.ts';

/** What a tool may need of its caller; never kept, and in no message of the client. */
export interface OxpCallContext {
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  /** Tokens of the user's authorizations, by id. */
  readonly authorization?: Readonly<Record<string, string>> | undefined;
  /** For which user the call is. */
  readonly userId?: string | undefined;
}

/** What is known of a server. */
export interface OxpServer {
  readonly transport: Transport;
  readonly retry: RetryOptions;
  /** Headers that say who is calling. */
  readonly credentials: () => Promise<Record<string, string>>;
  /** Whether a repeat with the same id attaches to the call that runs, or ran. */
  keepsIds: boolean;
  /** Which instance answers; undefined where calls are repeated in any case, or in none. */
  readonly instance: KnownInstance | undefined;
  /** Asks the server for its instance, at the first call. */
  meet(signal: End): Promise<void>;
  /** To be told when the server does not do so. */
  doubtIds(): void;
}

/** One call. */
export interface OxpCallPlan {
  readonly server: OxpServer;
  readonly toolId: string;
  readonly input: JsonObject;
  readonly context: OxpCallContext;
  readonly traceId: string | undefined;
  /** The id of the first attempt. */
  readonly callId: string | undefined;
  readonly maxToolRetries: number;
  readonly signal: End;
  /** The time by which the caller wants to know, as Date.now() tells it. */
  readonly until: number;
}

/** What one call gave. */
export interface OxpResult<Value = any> {
  readonly callId: string;
  /** How long the tool ran; where the server does not tell, how long its answer took. */
  readonly durationMs: number;
  readonly value: Value;
  /** A call that ends otherwise is an error, which has an outcome too. */
  readonly outcome: 'returned';
}

// Longer waits are for the caller to plan: the error says how long.
const LONGEST_WAIT_MS = 60_000;

/** Calls a tool, and again for as long as it says that this may help. */
export async function callOxpTool(plan: OxpCallPlan): Promise<OxpResult> {
  const { server, maxToolRetries, signal, until } = plan;
  for (let retries = 0; ; retries += 1) {
    try {
      return await callOnce(plan, toCallId(plan.callId, retries));
    } catch (error) {
      if (!(error instanceof OxpToolError) || !error.canRetry || retries >= maxToolRetries) throw error;
      const waitMs = error.retryAfterMs ?? server.retry.pauseMs;
      if (waitMs > Math.min(LONGEST_WAIT_MS, until - Date.now())) throw error;
      await pause(waitMs, signal);
    }
  }
}

/** An id for each try: it is a new call. Out of the caller's own comes the same one every time, so that all can be repeated. */
function toCallId(callId: string | undefined, retries: number): string {
  if (callId === undefined) return newCallId();
  return retries === 0 ? callId : `${callId}-retry-${retries}`;
}

async function callOnce(plan: OxpCallPlan, callId: string): Promise<OxpResult> {
  const { server, signal, toolId } = plan;
  const { retry } = server;
  const progress: Progress = { isLost: false, instance: undefined, misses: 0 };
  const what = `the call of '${toolId}'`;
  try {
    return await withRetries(what, () => attempt(plan, callId, progress), {
      retry,
      signal,
      mayRepeat: (error) => isTemporary(error) && (!progress.isLost || mayRepeat(server, progress)),
      // A repeat attaches to the call, so that it may take longer than the platform waits for an answer.
      patient: server.keepsIds,
    });
  } catch (error) {
    throw toCallError(error, { what, callId, isUnknown: progress.isLost && !mayRepeat(server, progress) });
  }
}

/** What is known of a call so far. */
interface Progress {
  /** Whether it may have run without our having heard how it ended. */
  isLost: boolean;
  /** The instance to which it was sent: the only one that knows its id. */
  instance: string | undefined;
  /** How often another one answered before anything can have run. */
  misses: number;
}

// The first miss is a restart since the last call; one after that, and nobody can say who will answer the next.
const MOST_MISSES = 2;

async function attempt(plan: OxpCallPlan, callId: string, progress: Progress): Promise<OxpResult> {
  const { server } = plan;
  const { instance } = server;
  if (!progress.isLost) {
    if (instance?.isUnheard) await server.meet(plan.signal);
    progress.instance = instance?.isShared || progress.misses >= MOST_MISSES ? undefined : instance?.id;
  }
  try {
    return await exchange(plan, callId, progress.instance);
  } catch (error) {
    if (error instanceof OtherInstance && !progress.isLost) {
      progress.misses += 1;
      return attempt(plan, callId, progress);
    }
    if (isPassing(error) && !isSafe(error)) progress.isLost = true;
    throw error;
  }
}

async function exchange(plan: OxpCallPlan, callId: string, instance: string | undefined): Promise<OxpResult> {
  const { server, signal } = plan;
  const request = { method: 'POST', path: '/tools/call', signal, body: toBody(plan, callId) } as const;
  const begun = Date.now();
  const headers = await server.credentials();
  const answer = await server.transport.ask({ ...request, headers, instance, hearer: server.instance });
  const read = (body: unknown) => toSentResult(body, callId, outcomeIn(answer));
  const result = readJson(answer, { ...request, taskId: callId }, read);
  // An id of its own: it took no notice of ours, and would run a repeat again.
  if (result.callId !== callId) server.doubtIds();
  return toResult(result, callId, Date.now() - begun);
}

/** Whether a call that may have run can be sent again without running twice: to the server that knows its id. */
function mayRepeat({ keepsIds, instance: known }: OxpServer, { instance }: Progress): boolean {
  return keepsIds && (known === undefined || known.isNameless || instance !== undefined);
}

function toResult({ callId, durationMs, value }: SentResult, sentId: string, tookMs: number): OxpResult {
  return { callId: callId ?? sentId, durationMs: durationMs ?? tookMs, value, outcome: 'returned' };
}

/** Whether an error may pass by itself. */
export function isTemporary(error: unknown): boolean {
  return isPassing(error) || isUnavailable(error);
}

// The standard has 400 also for a server that cannot answer now; it says so by naming a time.
function isUnavailable(error: unknown): boolean {
  return error instanceof OxpServerError && error.retryAfterMs !== undefined;
}

/** Whether nothing ran for certain. */
function isSafe(error: unknown): boolean {
  return isHarmless(error) || isUnavailable(error);
}

interface FailedOxpCall {
  readonly what: string;
  readonly callId: string;
  /** Whether it may have run, and nothing more can be heard of it. */
  readonly isUnknown: boolean;
}

function toCallError(error: unknown, { what, callId: taskId, isUnknown }: FailedOxpCall): unknown {
  if (error instanceof OtherInstance) return toRestarted(what, error, { taskId });
  if (error instanceof OxpServerError && error.developerMessage?.includes(RESULT_NOT_KEPT)) {
    const message = `the result of ${what} is no longer kept by the server; the tool was not run again`;
    return new OutcomeUnknown(message, { taskId, cause: error });
  }
  if (error instanceof OxpToolError && error.outcome === 'env_error' && isToldUnknown(error)) {
    const message = `the server does not know whether ${what} has run, and does not run it again. Find out what it did before you call it again`;
    return new OutcomeUnknown(message, { taskId, outcome: error.outcome, cause: error });
  }
  if (isUnknown && isPassing(error)) {
    return new OutcomeUnknown(`the connection failed before ${what} was answered: it may have run`, {
      taskId,
      cause: error,
    });
  }
  return toMaxRetries(what, error, { taskId });
}

function isToldUnknown({ developerMessage }: OxpToolError): boolean {
  return developerMessage?.includes(OUTCOME_UNKNOWN) === true;
}

function toBody({ toolId, input, context, traceId }: OxpCallPlan, callId: string): JsonObject {
  const request: CallToolRequest = {
    call_id: callId,
    ...(traceId === undefined ? {} : { trace_id: traceId }),
    tool_id: toolId,
    input,
    ...toContext(context),
  };
  return { $schema: OXP_SCHEMA, request: request as unknown as JsonObject };
}

function toContext({ secrets = {}, authorization = {}, userId }: OxpCallContext): { context?: WireCallContext } {
  const context: WireCallContext = {
    ...(Object.keys(authorization).length === 0
      ? {}
      : { authorization: Object.entries(authorization).map(([id, token]) => ({ id, token })) }),
    ...(Object.keys(secrets).length === 0
      ? {}
      : { secrets: Object.entries(secrets).map(([id, value]) => ({ id, value })) }),
    ...(userId === undefined ? {} : { user_id: userId }),
  };
  return Object.keys(context).length === 0 ? {} : { context };
}
