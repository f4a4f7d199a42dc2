import type { FastifyRequest } from 'fastify';
import { TiltyardError } from '../../core/index.ts';
import type { McpFace, Reader } from '../../mcp/index.ts';
import { bearerOf } from '../../protocol/index.ts';
import { type EnvironmentManifest, isAbsent, keyOf, type LiveSession, type SessionRef } from '../../sessions/index.ts';
import { identityOf } from '../auth/identify.ts';
import { readSecretsHeader } from '../http/headers.ts';
import { assertScope, callerOf, hasCredentials } from './callers.ts';
import { endedFace } from './ended-face.ts';
import { EpisodeFace } from './episode-face.ts';
import type { NamedEpisode } from './handles.ts';
import { assertSameTask, type EpisodeQuery, readLazyEpisode, sessionOf } from './lazy-episodes.ts';
import type { McpEpisodes, Message, Served } from './service.ts';
import { traceOfMessage } from './trace.ts';

/** The episode at an address that an orchestrator has handed to an agent. */
export async function toAgentEpisode(service: McpEpisodes, request: FastifyRequest, message: Message): Promise<Served> {
  const { handle } = request.params as { handle: string };
  const named = service.handles.open(handle);
  if (named === undefined) throw noEpisode();
  await assertWelcome(service, request, handle, named);
  request.tiltyardIdentity = { id: named.identity, scopes: AGENT };
  const { host, environment } = service;
  const state = await host.touch(named);
  const place = keyOf(named);
  if (isAbsent(state) || state.seed !== named.seed) {
    // An agent that goes on calling shall read why; all else is as if the address had never been.
    if (message.method !== 'tools/call' || (isAbsent(state) && state.code === 'session_not_found')) throw noEpisode();
    const why = isAbsent(state) ? state.message : 'the episode has ended';
    return { face: endedFace('episode', why), place, instructions: undefined };
  }
  const found = { ref: named, environment: environment(state.environment), state, reader: 'agent' } as const;
  return { face: toFace(service, request, message, found), place, instructions: undefined };
}

const AGENT: ReadonlySet<string> = new Set(['agent']);

/** The episode that an orchestrator names in its address, which begins when it is first needed. */
export async function toOwnEpisode(service: McpEpisodes, request: FastifyRequest, message: Message): Promise<Served> {
  const identity = identityOf(request);
  assertScope(identity, ['orchestrator']);
  const { host, environment: find, lazy } = service;
  const { env } = request.params as { env: string };
  const wanted = readLazyEpisode(find(env), request.query as EpisodeQuery);
  const { environment, split, index } = wanted;
  const ref = sessionOf(identity.id, wanted);
  const state = await host.touch(ref);
  if (!isAbsent(state)) assertSameTask(wanted, state);
  const secrets = readSecretsHeader(request.headers);
  const begin = () => {
    const trace = traceOfMessage(service, request, message);
    const create = { environment: environment.name, choice: { split, index }, secrets, trace };
    return lazy.begin(ref, create, state);
  };
  const live = isAbsent(state) ? undefined : state;
  const found = { ref, environment, state: live, begin, reader: 'orchestrator' } as const;
  const face = toFace(service, request, message, found);
  return { face, place: keyOf(ref), instructions: await instructionsOf(face, message) };
}

interface Found {
  readonly ref: SessionRef;
  readonly environment: EnvironmentManifest;
  /** Undefined where it has not begun. */
  readonly state: LiveSession | undefined;
  readonly begin?: () => Promise<void>;
  readonly reader: Reader;
}

function toFace(
  service: McpEpisodes,
  request: FastifyRequest,
  message: Message,
  { ref, environment, state, begin, reader }: Found,
): McpFace {
  const { host, returnErrors } = service;
  const known = { bytes: message.bytes, trace: traceOfMessage(service, request, message) };
  const isReady = state?.isReady === true;
  return new EpisodeFace({ host, ref, environment, begin, isReady, reader, returnErrors, request: known });
}

/** Only a client that connects reads them. */
async function instructionsOf(face: McpFace, { method }: Message): Promise<string | undefined> {
  return method === 'initialize' || method === 'server/discover' ? face.instructions?.() : undefined;
}

/** The address alone lets an agent in. Credentials need not be sent; but if they are, they must be good, and of the same identity. */
async function assertWelcome(
  { authenticator }: McpEpisodes,
  { headers }: FastifyRequest,
  handle: string,
  { identity }: NamedEpisode,
): Promise<void> {
  if (authenticator === undefined || !hasCredentials(headers) || bearerOf(headers.authorization) === handle) return;
  const caller = await callerOf(authenticator, headers);
  if (caller.id !== identity) throw noEpisode();
  assertScope(caller, ['orchestrator', 'agent']);
}

function noEpisode(): TiltyardError {
  return new TiltyardError('session_not_found', 'there is no episode at this address, or no longer');
}
