import { readEvents } from '../support/sse.ts';

/** An answer to one message, as it came. */
export interface RpcAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The last message of it: the response, or the error. */
  readonly json: any;
}

export interface RpcOptions {
  readonly id?: number | string | undefined;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** The eras of the protocol: of the older revisions, and of the newest. */
export const ERAS = ['legacy', 'modern'] as const;
export type Era = (typeof ERAS)[number];

/** A message as it is sent over HTTP; over stdio it is the body alone. */
export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a message says; without an id it is a notification. */
export interface MessageParts {
  readonly id: number | string | undefined;
  readonly method: string;
  readonly params: Record<string, any>;
}

const PLAIN = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const VERSION = '2026-07-28';

/** A message as clients of an era send it. In the older one nothing has to go before it, and no version is told. */
export function toMessage(era: Era, { id, method, params }: MessageParts): Message {
  const envelope = { jsonrpc: '2.0', method, ...(id === undefined ? {} : { id }) };
  if (era === 'legacy') return { headers: PLAIN, body: JSON.stringify({ ...envelope, params }) };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...params._meta,
  };
  const named = typeof params.name === 'string' ? { 'mcp-name': params.name } : {};
  return {
    headers: { ...PLAIN, 'mcp-protocol-version': VERSION, 'mcp-method': method, ...named },
    body: JSON.stringify({ ...envelope, params: { ...params, _meta } }),
  };
}

/** Sends a message and reads the whole answer. */
export type Rpc = (url: string, method: string, params?: object, options?: RpcOptions) => Promise<RpcAnswer>;

/** As clients of the older revisions do. */
export const rpc: Rpc = (url, method, params = {}, options = {}) => send('legacy', url, { method, params }, options);

/** As clients of the newest revision do. */
export const modernRpc: Rpc = (url, method, params = {}, options = {}) =>
  send('modern', url, { method, params }, options);

/** Both, by their eras. */
export const RPC: Readonly<Record<Era, Rpc>> = { legacy: rpc, modern: modernRpc };

async function send(
  era: Era,
  url: string,
  { method, params }: { method: string; params: object },
  { id = method.startsWith('notifications/') ? undefined : 1, headers = {}, signal }: RpcOptions,
): Promise<RpcAnswer> {
  const message = toMessage(era, { id, method, params });
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...message.headers, ...headers },
    body: message.body,
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: toJson(response.headers, text) };
}

function toJson(headers: Headers, text: string): any {
  const type = headers.get('content-type') ?? '';
  if (type.includes('text/event-stream')) {
    const { data = 'null' } = readEvents(text).findLast((each) => each.data !== '') ?? {};
    return JSON.parse(data);
  }
  return type.includes('json') ? JSON.parse(text) : undefined;
}

/** The content of the result of a call, as one text. */
export function textOfResult({ content }: { content: { type: string; text?: string }[] }): string {
  return content.map(({ type, text }) => (type === 'text' ? text : `<${type}>`)).join('\n');
}
