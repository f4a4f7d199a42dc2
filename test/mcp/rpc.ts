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

const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/** Sends a message as clients of the older revisions do: nothing has to go before it, and no version is told. */
export async function rpc(
  url: string,
  method: string,
  params: object = {},
  options: RpcOptions = {},
): Promise<RpcAnswer> {
  const { id = method.startsWith('notifications/') ? undefined : 1, headers = {}, signal } = options;
  const body = JSON.stringify({ jsonrpc: '2.0', method, params, ...(id === undefined ? {} : { id }) });
  return send(url, body, headers, signal);
}

/** The same as the newest revision has it. */
export async function modernRpc(
  url: string,
  method: string,
  params: Record<string, any> = {},
  { id = 1, headers = {}, signal }: RpcOptions = {},
): Promise<RpcAnswer> {
  const version = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...params._meta,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
  const named = typeof params.name === 'string' ? { 'mcp-name': params.name } : {};
  return send(url, body, { 'mcp-protocol-version': version, 'mcp-method': method, ...named, ...headers }, signal);
}

async function send(url: string, body: string, headers: object, signal?: AbortSignal): Promise<RpcAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...ACCEPT, ...headers },
    body,
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
