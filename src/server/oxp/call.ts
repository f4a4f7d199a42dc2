import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CatalogTool, Problem } from '../../core/index.ts';
import {
  type CallToolRequest,
  isObject,
  type JsonObject,
  OUTCOME_HEADER,
  RESULT_NOT_KEPT,
} from '../../protocol/index.ts';
import {
  fingerprintOf,
  type RepeatKey,
  type ToolboxCall,
  type ToolboxEnding,
  type ToolboxRequest,
  toCallKey,
} from '../../sessions/index.ts';
import { identityOf } from '../auth/identify.ts';
import type { Identity } from '../auth/identity.ts';
import { readCallRequest } from './bodies.ts';
import { InputError, OxpError } from './errors.ts';
import { isVisible, type OxpFace } from './plugin.ts';
import { readRequirements } from './requirements.ts';
import { type RanEnding, toResultJson } from './results.ts';

/** Where a call came in and where its answer goes. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Answers a call: starts it, or attaches to the one that has its id already. */
export function answerCall(face: OxpFace, body: JsonObject, exchange: Exchange): void {
  const request = readRequest(face, body, exchange);
  const { repeat, callId } = request;
  const known = repeat === undefined ? undefined : face.toolbox.known(repeat);
  if (known !== undefined && known.kind !== 'call') return refuseTaken(face, request, known.kind, exchange.reply);
  const call = known?.call ?? start(face, request, exchange.request);
  const answer = (ending: ToolboxEnding) =>
    face.turn.defer(() => {
      if (ending.kind === 'refused') refuseInput(exchange.reply, ending.problems);
      else sendResult(exchange.reply, toResultJson(callId, ending, face.returnErrors), ending);
    });
  if (call.ending instanceof Promise) void call.ending.then(answer);
  else if (call.ending !== undefined) answer(call.ending);
}

/** Reads a call. What can be wrong is checked in the order of the protocol: version, envelope, id, requirements, input. */
function readRequest(face: OxpFace, body: JsonObject, { request, reply }: Exchange): ToolboxRequest {
  const wanted = readCallRequest(body);
  const identity = identityOf(request);
  const { input = {}, call_id: callId = randomUUID(), trace_id: traceId } = wanted;
  // Nothing about the tool matters any more, except to who comes back for a result.
  if (face.toolbox.isClosed && !face.toolbox.hasSeen(toCallKey(identity.id, callId)))
    throw unavailable(face, 'the server is stopping');
  const trace = face.traceOf?.(request);
  let tool: CatalogTool | undefined;
  try {
    tool = face.catalog.resolve(wanted.tool_id, (each) => isVisible(identity, each));
    const given = readRequirements(tool, wanted);
    // Said here, because a tool without parameters would take anything.
    if (!isObject(input)) throw new InputError([{ path: [], message: 'Must be an object' }]);
    const repeat = toRepeatKey(tool, wanted, identity);
    return { tool, identity: identity.id, input, callId, traceId, trace, ...given, repeat };
  } catch (thrown) {
    face.toolbox.refuse({ callId, identity: identity.id }, tool, trace);
    reply.header(OUTCOME_HEADER, 'tool_error');
    throw thrown;
  }
}

/** How a repeat is known. Keys are each caller's own, so nobody can fetch another's result. */
function toRepeatKey(tool: CatalogTool, wanted: CallToolRequest, { id }: Identity): RepeatKey | undefined {
  const { call_id: callId, input = {}, context } = wanted;
  if (callId === undefined) return undefined;
  return { key: toCallKey(id, callId), fingerprint: fingerprintOf(tool, input, context?.user_id) };
}

const TAKEN = {
  other: 'for another tool, input or user. Every call needs an id of its own',
  forgotten: `before, and ${RESULT_NOT_KEPT}`,
};

/** Refuses a call whose id is taken; what is wrong with its input is told first, as it is for every call. */
function refuseTaken(face: OxpFace, request: ToolboxRequest, why: keyof typeof TAKEN, reply: FastifyReply): void {
  const { tool, input, trace } = request;
  const taken = new OxpError('This call cannot be repeated', {
    developerMessage: `call_id '${request.callId}' was used ${TAKEN[why]}`,
  });
  const check = async () => tool.tool.prepare(input);
  void check().then(
    (checked) => {
      if (checked.ok) return reply.send(taken);
      face.toolbox.refuse(request, tool, trace);
      refuseInput(reply, checked.problems);
    },
    () => reply.send(taken),
  );
}

function start(face: OxpFace, request: ToolboxRequest, { raw: { socket } }: FastifyRequest): ToolboxCall {
  const full = face.toolbox.fullFor(request.identity);
  if (full !== undefined) throw unavailable(face, full);
  const call = face.toolbox.start(request);
  // Without an id nobody can come back for the result: a caller that leaves no longer wants it.
  if (request.repeat === undefined && call.phase !== 'settled') {
    const forget = face.callers.watch(socket, () => call.abort.abort(new Error('the caller has gone')));
    void Promise.resolve(call.ending).then(forget);
  }
  return call;
}

function refuseInput(reply: FastifyReply, problems: readonly Problem[]): void {
  reply.header(OUTCOME_HEADER, 'tool_error').send(new InputError(problems));
}

function sendResult(reply: FastifyReply, json: string, ending: RanEnding): void {
  reply.header('content-type', 'application/json; charset=utf-8');
  if (ending.kind === 'failed') reply.header(OUTCOME_HEADER, ending.outcome);
  reply.send(json);
}

function unavailable({ unavailableStatus }: OxpFace, developerMessage: string): OxpError {
  return new OxpError('The server is temporarily unavailable', {
    status: unavailableStatus,
    developerMessage,
    headers: { 'retry-after': '5' },
  });
}
