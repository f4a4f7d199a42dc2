import type { FastifyRequest } from 'fastify';
import { isObject } from '../../protocol/index.ts';
import type { TraceHeaders } from '../../sessions/index.ts';
import type { McpCommon, Message } from './service.ts';

// Those that MCP reserves for traces (SEP-414), in the form of the headers of the same names.
const TRACE_META = ['traceparent', 'tracestate', 'baggage'] as const;

/** To which trace a message belongs: its `_meta` says so, or else the headers of its request; undefined where nobody traces. */
export function traceOfMessage(
  { traceOf }: Pick<McpCommon, 'traceOf'>,
  { headers }: Pick<FastifyRequest, 'headers'>,
  { params }: Pick<Message, 'params'>,
): TraceHeaders | undefined {
  if (traceOf === undefined) return undefined;
  const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
  const isTold = typeof meta.traceparent === 'string';
  const told = isTold ? Object.fromEntries(TRACE_META.map((name) => [name, textOf(meta[name])])) : {};
  return traceOf({ headers: { ...headers, ...told } });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
