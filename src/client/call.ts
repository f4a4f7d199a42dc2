import { INSTANCE_HEADER, isObject, type JsonObject } from '../protocol/index.ts';
import { isHarmless, isUnknownId, toCallError } from './call-errors.ts';
import { type CallProgress, callEvents } from './call-events.ts';
import { newTaskId } from './call-ids.ts';
import { toCallResult } from './call-result.ts';
import type { End } from './end.ts';
import { ClientError, ToolCallError } from './errors.ts';
import { readEventStream } from './event-stream.ts';
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
  readonly signal: End;
}

/** Who chooses the ids of a session's calls. */
export interface IdChoice {
  /** Whether the server lets the client choose, which makes every repeat safe. */
  byClient: boolean;
}

/** Calls a tool exactly once, however often the connection drops, and gives its result. */
export async function callTool(plan: CallPlan): Promise<CallResult> {
  const progress: CallProgress = {
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

async function attempt(plan: CallPlan, progress: CallProgress, count: number): Promise<CallResult> {
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

async function exchangeOrLose(plan: CallPlan, progress: CallProgress): Promise<CallResult> {
  try {
    return await exchange(plan, progress);
  } catch (error) {
    if (isPassing(error) && !isHarmless(error)) progress.isLost = true;
    throw error;
  }
}

async function exchange(plan: CallPlan, progress: CallProgress): Promise<CallResult> {
  const { transport, sid, silenceMs, signal } = plan;
  using silence = new Silence({ sid, signal, silenceMs });
  // Before its answer begins a call may wait for setup for long; only where a repeat is safe does that count as silence.
  if (progress.taskId !== undefined) silence.watch();
  const response = await send(plan, progress, silence.end);
  progress.instance = response.headers.get(INSTANCE_HEADER) ?? progress.instance;
  await assertStream(plan, response);
  const { onEvent, onComment } = callEvents(sid, progress);
  const { maxAnswerBytes: maxBytes } = transport.bounds;
  const result = await readEventStream(response, onEvent, { sid, silence, onComment, maxBytes });
  return toCallResult(result, { sid, taskId: progress.taskId });
}

function send(plan: CallPlan, { taskId, isLost, instance }: CallProgress, signal: End): Promise<Response> {
  const { transport, sid, environment, name, input, onUnknown } = plan;
  return transport.send({
    method: 'POST',
    path: toPath(environment),
    sid,
    signal,
    headers: { Accept: EVENT_STREAM },
    body: { name, input, ...(taskId === undefined ? {} : { task_id: taskId }) },
    hearer: plan.instance,
    // A session of the same id elsewhere does not know the call, and would run it again.
    instance: isLost && onUnknown === 'fail' ? instance : undefined,
  });
}

// A page of a proxy, or JSON, is not waited for as a tool is.
async function assertStream({ transport, sid, signal, environment }: CallPlan, response: Response): Promise<void> {
  const type = response.headers.get('content-type') ?? EVENT_STREAM;
  if (type.toLowerCase().startsWith(EVENT_STREAM)) return;
  const text = await transport.readText(response, { sid, signal });
  const what = `the answer to POST ${toPath(environment)} is ${toShort(type)}, not ${EVENT_STREAM}`;
  throw new ClientError(`${what}: ${toShort(text)}`, { sid, status: response.status });
}

const EVENT_STREAM = 'text/event-stream';

function toPath(environment: string): string {
  return `/${encodeURIComponent(environment)}/call`;
}

/** Refuses an input that no server could take, before anything is sent. */
export function assertInput(input: unknown): asserts input is JsonObject {
  if (!isObject(input)) throw new ToolCallError('the input of a tool must be an object', 'bad_input_shape');
}
