import type { ErrorCode } from '../core/index.ts';
import {
  codeIn,
  cutText,
  INSTANCE_HEADER,
  isObject,
  type JsonObject,
  type Outcome,
  outcomeIn,
  type RunToolResult,
  textOf,
} from '../protocol/index.ts';
import { isHarmless, isUnknownId, toCallError, toReason } from './call-errors.ts';
import { newTaskId } from './call-ids.ts';
import { readResult } from './call-result.ts';
import {
  ClientError,
  type ErrorContext,
  OutcomeUnknown,
  SessionTerminated,
  ToolCallError,
  ToolFailed,
} from './errors.ts';
import { readEventStream, type StreamEvent } from './event-stream.ts';
import type { KnownInstance } from './instance.ts';
import { toShort } from './quote.ts';
import { isPassing, type RetryOptions, withRetries } from './retry.ts';
import { Silence } from './silence.ts';
import type { Transport } from './transport.ts';
import type { CallResult } from './types.ts';

/** One call, and what is known of the server. */
export interface CallPlan {
  readonly transport: Transport;
  readonly sid: string;
  readonly environment: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly ids: IdChoice;
  /** Where the session lives. */
  readonly instance: KnownInstance;
  /** Whether to repeat a call that may have run already. */
  readonly onUnknown: 'fail' | 'repeat';
  readonly retry: RetryOptions;
  readonly silenceMs: number;
  readonly signal: AbortSignal;
}

/** Who chooses the ids of a session's calls. */
export interface IdChoice {
  /** Whether the server lets the client choose, which makes every repeat safe. */
  byClient: boolean;
}

/** Calls a tool exactly once, however often the connection drops, and gives its result. */
export async function callTool(plan: CallPlan): Promise<CallResult> {
  const progress: Progress = {
    taskId: plan.ids.byClient ? newTaskId() : undefined,
    isLost: false,
    instance: plan.instance.id,
  };
  try {
    return await withRetries(`the call of '${plan.name}'`, (count) => attempt(plan, progress, count), {
      retry: plan.retry,
      signal: plan.signal,
      mayRepeat: (error) =>
        isPassing(error) && (progress.taskId !== undefined || isHarmless(error) || plan.onUnknown === 'repeat'),
    });
  } catch (error) {
    throw toCallError(error, { ...plan, ...progress });
  }
}

/** What is known of a call so far. */
interface Progress {
  /** The id under which the server knows the call, once there is one: from then on every repeat is safe. */
  taskId: string | undefined;
  /** Whether it may have run without our having heard how it ended. */
  isLost: boolean;
  /** Where it was sent first. */
  instance: string | undefined;
}

async function attempt(plan: CallPlan, progress: Progress, count: number): Promise<CallResult> {
  const isNewId = count === 1 && progress.taskId !== undefined;
  try {
    return await exchangeOrLose(plan, progress);
  } catch (error) {
    if (!isNewId || !isUnknownId(error)) throw error;
    // No server has seen this id before, so nothing ran: this one does not take ids of clients after all.
    plan.ids.byClient = false;
    progress.taskId = undefined;
    return exchangeOrLose(plan, progress);
  }
}

async function exchangeOrLose(plan: CallPlan, progress: Progress): Promise<CallResult> {
  try {
    return await exchange(plan, progress);
  } catch (error) {
    if (isPassing(error) && !isHarmless(error)) progress.isLost = true;
    throw error;
  }
}

async function exchange(plan: CallPlan, progress: Progress): Promise<CallResult> {
  const { transport, sid, environment, name, input, instance, onUnknown, silenceMs, signal } = plan;
  const { taskId } = progress;
  using silence = new Silence({ sid, signal, silenceMs });
  // Before its answer begins a call may wait for setup for long; only where a repeat is safe does that count as silence.
  if (taskId !== undefined) silence.watch();
  const response = await transport.send({
    method: 'POST',
    path: `/${encodeURIComponent(environment)}/call`,
    sid,
    signal: silence.signal,
    headers: { Accept: 'text/event-stream' },
    body: { name, input, ...(taskId === undefined ? {} : { task_id: taskId }) },
    hearer: instance,
    // A session of the same id elsewhere does not know the call, and would run it again.
    instance: progress.isLost && onUnknown === 'fail' ? progress.instance : undefined,
  });
  progress.instance = response.headers.get(INSTANCE_HEADER) ?? progress.instance;
  await assertStream(plan, response);
  // Of this attempt alone: what a broken stream has left is not part of the next one.
  const parts: string[] = [];
  let outcome: Outcome | undefined;
  let code: string | undefined;
  const onComment = (comment: string) => {
    outcome = outcomeIn(comment) ?? outcome;
    code = codeIn(comment) ?? code;
  };
  const onEvent = ({ event, data }: StreamEvent): RunToolResult | undefined => {
    if (event === 'task_id') progress.taskId = data.trim() || progress.taskId;
    else if (event === 'chunk' || event === 'end') parts.push(data);
    else if (event === 'error') {
      progress.isLost = false;
      throw toFailure(cutText(data, MAX_MESSAGE, ' [cut]'), { sid, taskId: progress.taskId, outcome, code });
    }
    return event === 'end' ? readResult(parts.join(''), { sid, taskId: progress.taskId }) : undefined;
  };
  const result = await readEventStream(response, onEvent, {
    sid,
    silence,
    onComment,
    maxBytes: transport.bounds.maxAnswerBytes,
  });
  if (!result.ok)
    throw new ToolCallError(result.error, result.reason ?? toReason(result.error), { sid, taskId: progress.taskId });
  const { blocks, reward, finished, metadata } = result.output;
  return {
    blocks,
    text: textOf(blocks),
    // Servers of another make leave out what they have not.
    reward: reward ?? null,
    finished: finished ?? false,
    metadata: metadata ?? null,
    taskId: progress.taskId ?? '',
    outcome: 'returned',
  };
}

// A page of a proxy, or JSON, is not waited for as a tool is.
async function assertStream({ transport, sid, signal, environment }: CallPlan, response: Response): Promise<void> {
  const type = response.headers.get('content-type') ?? EVENT_STREAM;
  if (type.toLowerCase().startsWith(EVENT_STREAM)) return;
  const text = await transport.readText(response, { sid, signal });
  const what = `the answer to POST /${encodeURIComponent(environment)}/call is ${toShort(type)}, not ${EVENT_STREAM}`;
  throw new ClientError(`${what}: ${toShort(text)}`, { sid, status: response.status });
}

const EVENT_STREAM = 'text/event-stream';

// As much as a server of ours sends, and more than anybody reads.
const MAX_MESSAGE = 64 * 1024;

function toFailure(message: string, { code: told, outcome = 'env_error', ...known }: ErrorContext): ClientError {
  const context = { ...known, outcome };
  if (told === OUTCOME_UNKNOWN) return new OutcomeUnknown(message, { ...context, code: told });
  // The session ended while the call ran: the next call would hear it by status.
  const code = outcome === 'cancelled' || outcome === 'expired' ? SESSION_CODES[outcome] : told;
  if (code !== undefined && SESSION_ENDS.has(code))
    return new SessionTerminated(`the session is over: ${message}`, { ...context, status: 410, code });
  return new ToolFailed(message || 'the tool failed without a message', context);
}

const OUTCOME_UNKNOWN: ErrorCode = 'outcome_unknown';
const SESSION_CODES = { cancelled: 'session_gone', expired: 'session_expired' } as const;
const SESSION_ENDS: ReadonlySet<string> = new Set<ErrorCode>(['session_gone', 'session_expired', 'session_lost']);

/** Refuses an input that no server could take, before anything is sent. */
export function assertInput(input: unknown): asserts input is JsonObject {
  if (!isObject(input)) throw new ToolCallError('the input of a tool must be an object', 'bad_input_shape');
}
