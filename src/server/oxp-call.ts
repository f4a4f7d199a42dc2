import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CatalogTool } from '../core/index.ts';
import { type CallToolRequest, isObject, type JsonObject } from '../protocol/index.ts';
import { fingerprintOf, type ToolboxCall, type ToolboxOutcome, toSessionKey } from '../sessions/index.ts';
import { identityOf } from './identity.ts';
import { isVisible, type OxpFace } from './oxp.ts';
import { readCallRequest } from './oxp-bodies.ts';
import { OxpError, toValidationBody } from './oxp-errors.ts';
import { readRequirements } from './oxp-requirements.ts';
import { toResultJson } from './oxp-results.ts';

// Said here, because a tool without parameters would take anything.
const NOT_AN_OBJECT = { path: ['input'], message: 'Must be an object' };

/** Where a call came in and where its answer goes. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Answers a call. What can be wrong is checked in the order of the protocol: version, envelope, id, requirements, input. */
export function answerCall(face: OxpFace, body: JsonObject, exchange: Exchange): void {
  const wanted = readCallRequest(body);
  const identity = identityOf(exchange.request);
  const tool = face.catalog.resolve(wanted.tool_id, (each) => isVisible(identity, each));
  if (!isObject(wanted.input ?? {})) return void exchange.reply.code(422).send(toValidationBody([NOT_AN_OBJECT]));
  const call = attach(face, tool, { ...wanted, owner: identity.id }) ?? start(face, tool, wanted, exchange);
  const answer = (outcome: ToolboxOutcome) =>
    face.turn.defer(() => send(face, { tool, wanted, outcome }, exchange.reply));
  if (call.outcome instanceof Promise) void call.outcome.then(answer);
  else if (call.outcome !== undefined) answer(call.outcome);
}

interface OwnedRequest extends CallToolRequest {
  readonly owner: string;
}

/** The call that has this `call_id` already. Keys are each caller's own, so nobody can fetch another's result. */
function attach(
  { toolbox }: OxpFace,
  tool: CatalogTool,
  { owner, call_id: callId, input = {} }: OwnedRequest,
): ToolboxCall | undefined {
  if (callId === undefined) return undefined;
  const known = toolbox.known(toSessionKey(owner, callId));
  if (known === undefined) return undefined;
  const conflict = (developerMessage: string) => new OxpError('This call cannot be repeated', { developerMessage });
  if (known.kind === 'forgotten')
    throw conflict(`call_id '${callId}' was used before, and its result is no longer kept`);
  if (known.call.fingerprint !== fingerprintOf(tool, input)) {
    throw conflict(`call_id '${callId}' was used for another tool or input. Every call needs an id of its own`);
  }
  return known.call;
}

function start(face: OxpFace, tool: CatalogTool, wanted: CallToolRequest, { request }: Exchange): ToolboxCall {
  if (face.toolbox.isClosed) throw unavailable(face);
  const given = readRequirements(tool, wanted);
  const { call_id: callId, trace_id: traceId, input = {} } = wanted;
  const key = callId === undefined ? undefined : toSessionKey(identityOf(request).id, callId);
  const call = face.toolbox.start({ tool, input, key, traceId, ...given });
  // Without an id nobody can come back for the result: a caller that leaves no longer wants it.
  if (key === undefined && call.phase !== 'settled') {
    const { socket } = request.raw;
    const onClose = () => call.abort.abort(new Error('the caller has gone'));
    socket.once('close', onClose);
    void Promise.resolve(call.outcome).then(() => socket.off('close', onClose));
  }
  return call;
}

interface Ended {
  readonly tool: CatalogTool;
  readonly wanted: CallToolRequest;
  readonly outcome: ToolboxOutcome;
}

function send({ returnErrors }: OxpFace, { tool, wanted, outcome }: Ended, reply: FastifyReply): void {
  if (outcome.kind === 'refused') {
    reply.code(422).send(toValidationBody(outcome.problems));
    return;
  }
  const secrets = Object.fromEntries([
    ...(wanted.context?.secrets ?? []).map(({ id, value }) => [id, value]),
    ...(wanted.context?.authorization ?? []).map(({ id, token }) => [`authorization ${id}`, token]),
  ]);
  const callId = wanted.call_id ?? randomUUID();
  reply
    .header('content-type', 'application/json; charset=utf-8')
    .send(
      toResultJson({ callId, tool, secrets, returnErrors, outcome: outcome.outcome, durationMs: outcome.durationMs }),
    );
}

function unavailable({ unavailableStatus }: OxpFace): OxpError {
  return new OxpError('The server is temporarily unavailable', {
    status: unavailableStatus,
    developerMessage: 'the server is stopping',
    headers: { 'retry-after': '5' },
  });
}
