import type { ErrorCode } from '../core/index.ts';
import {
  CLIENT_SESSION_ID,
  FEATURES_HEADER,
  isObject,
  type JsonObject,
  type JsonValue,
  SECRETS_HEADER,
  toSecretsHeader,
} from '../protocol/index.ts';
import { newCallId } from './call-ids.ts';
import { Deadline } from './deadline.ts';
import type { End, Stop } from './end.ts';
import { ClientError, HttpError, NetworkError } from './errors.ts';
import { readEventStream, type StreamEvent } from './event-stream.ts';
import { isGone } from './gone.ts';
import type { KnownInstance } from './instance.ts';
import { parseJson } from './parse-json.ts';
import { type RetryOptions, withRetries } from './retry.ts';
import { Silence } from './silence.ts';
import type { Transport } from './transport.ts';
import type { TaskOf } from './types.ts';
import type { WireRequest } from './wire.ts';

/** Which episode to begin: a task, or its place in a split. */
export type EpisodeChoice<Env> = { readonly task: TaskOf<Env> } | { readonly split: string; readonly index: number };

/** What a session is begun with, whichever episode it is. */
export interface SessionOptions {
  /** Given to the environment; never logged, never kept. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  /** Ends waiting for the session, and the session's calls with it. */
  readonly signal?: AbortSignal | undefined;
  /** The most time for beginning the session, retries included. Setup goes on after that. */
  readonly timeoutMs?: number | undefined;
}

/** What a session is begun with. */
export type SessionRequest<Env> = EpisodeChoice<Env> & SessionOptions;

/** What a client has heard of its server so far. */
export interface KnownServer {
  /** Whether it takes session ids that clients choose. */
  takesSids: boolean;
}

/** What it takes to begin a session. */
export interface OpenContext {
  readonly transport: Transport;
  readonly server: KnownServer;
  readonly environment: string;
  readonly retry: RetryOptions;
  readonly silenceMs: number;
}

/** A session id, and what the server announces that it can do. */
export interface IssuedSid {
  readonly sid: string;
  readonly features: readonly string[];
}

/** The same of an episode that has begun. */
export interface BegunEpisode extends IssuedSid {
  /** Whether the server gave out the id, so that it has to be given back. */
  readonly isIssued: boolean;
}

/** The same with what hears where the episode begins. */
export interface EpisodeContext extends OpenContext {
  readonly instance: KnownInstance;
}

/** What a session is begun with, and what ends waiting for it. */
type BoundedRequest = EpisodeChoice<unknown> & Omit<SessionOptions, 'signal'> & { readonly signal: End };

/** Begins an episode; what was begun and cannot be handed out is ended again. */
export async function beginEpisode(context: EpisodeContext, request: SessionRequest<unknown>): Promise<BegunEpisode> {
  using deadline = new Deadline({ what: 'beginning a session' }, request);
  const { end } = deadline;
  end.throwIfAborted();
  const { server } = context;
  if (server.takesSids) {
    try {
      return {
        ...(await beginUnder({ sid: newCallId(), features: [] }, context, { ...request, signal: end })),
        isIssued: false,
      };
    } catch (error) {
      if (!mayRefuseSid(error)) throw error;
      // Another server may have taken its place: it is asked for an id, and says what it takes.
      server.takesSids = false;
    }
  }
  const issued = await requestSid(context, end);
  const begun = await beginUnder(issued, context, { ...request, signal: end });
  server.takesSids = begun.features.includes(CLIENT_SESSION_ID);
  return { ...begun, isIssued: true };
}

async function beginUnder(
  { sid, features }: IssuedSid,
  context: EpisodeContext,
  request: BoundedRequest,
): Promise<IssuedSid> {
  try {
    const announced = await createEpisode(context, sid, request);
    request.signal.throwIfAborted();
    // Either may announce it: the answer to one of them can get lost, or come from a gateway.
    return { sid, features: [...features, ...announced] };
  } catch (error) {
    // Not awaited: whoever has given up waiting shall not wait for this, and the server forgets the session in the end.
    if (!(error instanceof HttpError)) void abandonEpisode(context, sid).catch(() => {});
    throw error;
  }
}

// Servers that know only ids of their own have no common word for it.
function mayRefuseSid(error: unknown): boolean {
  return error instanceof HttpError && [400, 404, 410].includes(error.status ?? 0);
}

/** Asks for a session id; the official servers answer with events, this one with JSON. */
export async function requestSid(
  { transport, retry, silenceMs }: Omit<OpenContext, 'environment' | 'server'>,
  signal: Stop | undefined,
): Promise<IssuedSid> {
  return withRetries(
    'POST /create_session',
    async () => {
      using silence = new Silence({ signal, silenceMs });
      // From the start: an id too many costs nothing.
      silence.watch();
      const response = await transport.send({
        method: 'POST',
        path: '/create_session',
        body: {},
        signal: silence.end,
        headers: { Accept: 'application/json, text/event-stream;q=0.9' },
      });
      const sid = await readSid(transport, response, silence);
      if (sid === '') throw new ClientError('the server answered /create_session without a session id');
      return { sid, features: featuresOf(response) };
    },
    { retry, signal },
  );
}

/** The id is in the JSON, or in the `end` event, or else it was the `task_id`. */
async function readSid(transport: Transport, response: Response, silence: Silence): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    return sidIn(await transport.readText(response, { signal: silence.end })) ?? '';
  }
  let taskId = '';
  const onEvent = ({ event, data }: StreamEvent) => {
    if (event === 'task_id') taskId = data.trim();
    if (event === 'error') throw new ClientError(`the server could not make a session: ${data}`);
    return event === 'end' ? (sidIn(data) ?? taskId) : undefined;
  };
  return readEventStream(response, onEvent, { silence, maxBytes: transport.bounds.maxAnswerBytes });
}

function sidIn(text: string): string | undefined {
  try {
    const body: unknown = parseJson(text);
    return isObject(body) && typeof body.sid === 'string' ? body.sid : undefined;
  } catch {
    return undefined; // One official server's `end` is empty.
  }
}

/** Creates the episode and returns what the server announces. */
async function createEpisode(
  { transport, environment, retry, instance }: EpisodeContext,
  sid: string,
  { secrets = {}, signal, ...choice }: BoundedRequest,
): Promise<readonly string[]> {
  const task: JsonObject =
    'task' in choice ? { task_spec: choice.task as JsonValue } : { split: choice.split, index: choice.index };
  const hasSecrets = Object.keys(secrets).length > 0;
  const headers = hasSecrets ? { [SECRETS_HEADER]: toSecretsHeader(secrets) } : {};
  let inBody = hasSecrets;
  const send = () => {
    const body = { env_name: environment, ...task, ...(inBody ? { secrets: { ...secrets } } : {}) };
    return transport.ask({ method: 'POST', path: '/create', sid, signal, headers, body, hearer: instance });
  };
  return withRetries(
    'POST /create',
    async (attempt) => {
      try {
        return featuresOf(await send());
      } catch (error) {
        // Nobody else knows this id: an earlier attempt got through, and its answer was lost.
        if (attempt > 1 && isExisting(error)) {
          await assertBegun({ transport, sid, signal });
          return [];
        }
        if (!inBody || !refusesSecrets(error)) throw error;
        // One official server takes secrets from the body alone, the other refuses them there.
        inBody = false;
        return featuresOf(await send());
      }
    },
    { retry, signal },
  );
}

/** Throws what is worth another attempt if the server still looks for the task, which an earlier attempt asked for. */
async function assertBegun({
  transport,
  ...request
}: Pick<WireRequest, 'sid' | 'signal'> & Pick<OpenContext, 'transport'>): Promise<void> {
  try {
    await transport.ask({ method: 'POST', path: '/ping', ...request });
  } catch (error) {
    if (!isGone(error)) throw error;
    throw new NetworkError('the connection failed while the episode was created', { sid: request.sid, cause: error });
  }
}

/** Ends an episode that may have begun although nobody heard so. */
async function abandonEpisode({ transport, silenceMs }: OpenContext, sid: string): Promise<void> {
  using deadline = new Deadline({ what: 'POST /delete', sid }, { timeoutMs: silenceMs });
  await transport.ask({ method: 'POST', path: '/delete', sid, signal: deadline.end });
}

function featuresOf({ headers }: { readonly headers: Headers }): readonly string[] {
  return (headers.get(FEATURES_HEADER) ?? '').split(',').map((feature) => feature.trim());
}

function refusesSecrets(error: unknown): boolean {
  return error instanceof HttpError && error.status === 422 && error.detail.includes('secrets');
}

const SESSION_EXISTS: ErrorCode = 'session_exists';

function isExisting(error: unknown): boolean {
  if (!(error instanceof HttpError) || error.status !== 400) return false;
  const { code, detail } = error;
  // What a task's own schema says may have the same words.
  return code === undefined ? /already exists/i.test(detail) : code === SESSION_EXISTS;
}
