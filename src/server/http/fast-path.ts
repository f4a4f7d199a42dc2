import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { type Limits, toError } from '../../core/index.ts';
import { SESSION_HEADER } from '../../protocol/index.ts';
import { toSessionKey } from '../../sessions/index.ts';
import { ANYBODY, type Identity } from '../auth/identity.ts';
import type { RouteCounts } from '../observe/request-counts.ts';
import { startCall } from '../ors/call.ts';
import type { CallExchange } from '../ors/call-exchange.ts';
import type { OrsFace } from '../ors/plugin.ts';
import { mayCall } from '../ors/scopes.ts';
import { type ErrorAnswer, toErrorAnswer } from './errors.ts';
import { MAX_SID_LENGTH } from './headers.ts';
import type { Caller, OpenRequests } from './request-tracker.ts';

/** What a lane needs besides the face whose calls it takes. */
export interface LaneOptions {
  readonly limits: Pick<Limits, 'bodyBytes'>;
  readonly requests: OpenRequests;
  /** The counts of the calls' route. */
  readonly calls: RouteCounts;
  readonly log: FastifyBaseLogger;
}

/** Takes a request, or leaves it. */
export type Lane = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Takes calls past Fastify. Nearly all that a busy server is asked for is calls, and finding the route, the hooks and
 * the parser for each would be a seventh of its work. Only plain ones are taken: whatever has to be refused for its
 * address, its headers or its credentials is left to Fastify, so that there is one place for the words. A server of its
 * own has no hooks but ours, so nothing that a user added is passed by; where a face is mounted there is no lane.
 */
export function callLane(face: OrsFace, { limits, requests, calls, log }: LaneOptions): Lane {
  const environments = new Map(face.catalog.environments.map(({ name }) => [`/${name}/call`, name]));
  const { host, streams } = face;
  return (request, response) => {
    const { method, url = '', headers } = request;
    const environment = method === 'POST' ? environments.get(url) : undefined;
    if (environment === undefined || host.isClosed || !isPlain(headers, limits.bodyBytes)) return false;
    const identity = identify(face, headers);
    if (identity === undefined) return false;
    const caller: Caller = { tiltyardIdentity: identity };
    requests.begin(request, response, calls, caller);
    const key = toSessionKey(identity.id, headers[SESSION_HEADER] as string);
    host.touch(key);
    const fail = (error: Error) => {
      const answer = toErrorAnswer(error, streams.returnErrors, { url, log });
      caller.tiltyardCode = answer.body.code;
      writeError(response, answer);
    };
    readBody(request, (body) => start(face, { headers, body, key, environment, response, takeOver, fail }));
    return true;
  };
}

function start(face: OrsFace, exchange: CallExchange): void {
  try {
    startCall(face, exchange)?.catch(exchange.fail);
  } catch (thrown) {
    exchange.fail(toError(thrown));
  }
}

/** Asks a lane first, and all who listen for requests if it does not take one. */
export function putBefore(server: Server, lane: Lane): void {
  const others = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (lane(request, response)) return;
    for (const listener of others) listener.call(server, request, response);
  });
}

const NO_HEADERS: OutgoingHttpHeaders = Object.freeze({});
const takeOver = () => NO_HEADERS;

const PLAIN_SID = new RegExp(`^[\\x21-\\x7e]{1,${MAX_SID_LENGTH}}$`);

/** Writes an error as Fastify would. */
function writeError(response: ServerResponse, { status, headers, body }: ErrorAnswer): void {
  const text = JSON.stringify(body);
  const type = 'application/json; charset=utf-8';
  response.writeHead(status, { ...headers, 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** Whether nothing about a call is unusual, as far as its headers tell. */
function isPlain(headers: IncomingHttpHeaders, maxBytes: number): boolean {
  const sid = headers[SESSION_HEADER];
  return (
    headers['content-type'] === 'application/json' &&
    // Without a length it comes in chunks, and how much it is shows only on the way.
    Number(headers['content-length']) <= maxBytes &&
    headers.host !== undefined &&
    headers.upgrade === undefined &&
    typeof sid === 'string' &&
    PLAIN_SID.test(sid)
  );
}

/** Who a call comes from; undefined if that takes time to find out, or if it may not call. */
function identify({ authenticator }: OrsFace, headers: IncomingHttpHeaders): Identity | undefined {
  const identity = authenticator === undefined ? ANYBODY : authenticator.recognize(headers);
  return identity !== undefined && mayCall(identity) ? identity : undefined;
}

/** Nothing is called if the client leaves before its body is whole. */
function readBody(request: IncomingMessage, onBody: (text: string) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const [first] = chunks;
    onBody((first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)).toString());
  });
}
