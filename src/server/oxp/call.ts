import { toError } from '../../core/index.ts';
import { type CallToolRequest, OUTCOME_HEADER } from '../../protocol/index.ts';
import type { CallEvent } from '../../sessions/index.ts';
import { bytesOfCall } from '../http/bodies.ts';
import { type CallExchange, respond, respondInPieces, type WholeAnswer } from '../http/exchange.ts';
import type { FastRoute } from '../http/fast-path.ts';
import { hasLeft } from '../http/request-tracker.ts';
import { isLarge } from '../http/write-batch.ts';
import type { RouteCounts } from '../observe/request-counts.ts';
import { readCallRequest } from './bodies.ts';
import { toErrorAnswer, toRefusalAnswer } from './errors.ts';
import { toResultTexts } from './results.ts';
import type { OxpService } from './service.ts';

/** The route of calls. */
export const CALL_ROUTE = '/tools/call';

/** Plain calls, past Fastify. */
export function fastCall(service: OxpService, counts: RouteCounts): FastRoute {
  return {
    authenticator: service.authenticator,
    counts,
    traceOf: service.traceOf,
    takes: () => true,
    answer: (exchange) => answerCall(service, exchange),
  };
}

/** Answers a call: starts it, or attaches to the one that has its id already. */
export function answerCall(service: OxpService, exchange: CallExchange): void {
  let wanted: CallToolRequest;
  try {
    wanted = readCallRequest(service.parse(exchange));
  } catch (thrown) {
    return send(exchange, toErrorAnswer(toError(thrown), { url: exchange.response.req.url, log: service.log }));
  }
  const { batch, disconnects } = service;
  let settled: Settled | undefined;
  let unwatch: (() => void) | undefined;
  const leave = service.host.call(toRequest(exchange, wanted), (event) => {
    if (event.kind !== 'settled') return;
    settled = event;
    unwatch?.();
    // What waits for the end of the turn is not counted.
    if (isLarge(event.ending)) answer(service, exchange, event);
    // Within the call itself, it is answered below.
    else if (unwatch !== undefined) batch.defer(() => answer(service, exchange, event));
  });
  if (settled === undefined) unwatch = disconnects.watch(exchange.response.req.socket, leave);
  else if (!isLarge((settled as Settled).ending)) batch.soon(() => answer(service, exchange, settled as Settled));
}

type Settled = Extract<CallEvent, { kind: 'settled' }>;

function toRequest(exchange: CallExchange, wanted: CallToolRequest) {
  const { id, scopes } = exchange.identity;
  return {
    toolId: wanted.tool_id,
    input: wanted.input,
    bytes: bytesOfCall(exchange.body as string),
    callId: wanted.call_id,
    context: wanted.context,
    traceId: wanted.trace_id,
    identity: id,
    scopes,
    trace: exchange.trace,
  };
}

function answer(service: OxpService, exchange: CallExchange, settled: Settled): void {
  if (hasLeft(exchange.response)) return;
  const { taskId, ending, durationMs } = settled;
  exchange.caller.tiltyardIsTold = settled.isNews;
  if (ending.kind === 'refused') return send(exchange, toRefusalAnswer(ending, service.unavailableStatus));
  const headers = ending.kind === 'failed' ? { [OUTCOME_HEADER]: ending.outcome } : NO_HEADERS;
  const texts = toResultTexts(taskId, ending, durationMs, service.returnErrors);
  respondInPieces(exchange, service.transfers, { status: 200, headers, texts });
}

const NO_HEADERS: Readonly<Record<string, string>> = {};

function send(exchange: CallExchange, { code, ...told }: WholeAnswer & { readonly code: string | undefined }): void {
  exchange.caller.tiltyardCode = code;
  respond(exchange, told);
}
