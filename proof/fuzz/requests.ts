import type { Random } from '../random.ts';
import { oddBody, wideOrRecursiveCall } from './values.ts';

/** A request as it goes over the wire. */
export interface FuzzRequest {
  readonly bytes: Buffer;
  readonly method: string;
  /** Whether it is a whole request by the rules of HTTP, so that an answer is due. */
  readonly isWhole: boolean;
}

interface Route {
  readonly method: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const CALL = { name: 'echo', input: { text: 'hello', times: 2 } };
const TASK = { split: 'train', index: 0 };

const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/health', fields: {} },
  { method: 'GET', path: '/version', fields: {} },
  { method: 'GET', path: '/openapi.json', fields: {} },
  { method: 'GET', path: '/metrics', fields: {} },
  { method: 'GET', path: '/list_environments', fields: {} },
  { method: 'GET', path: '/echo/tools', fields: {} },
  { method: 'GET', path: '/echo/splits', fields: {} },
  { method: 'POST', path: '/echo/tasks', fields: { split: 'train' } },
  { method: 'POST', path: '/echo/num_tasks', fields: { split: 'train' } },
  { method: 'POST', path: '/echo/task', fields: TASK },
  { method: 'POST', path: '/echo/task_range', fields: { split: 'train', start: 0, stop: 2 } },
  { method: 'POST', path: '/create_session', fields: { task_id: 'x' } },
  { method: 'POST', path: '/create', fields: { env_name: 'echo', ...TASK, secrets: { key: 'a secret' } } },
  { method: 'POST', path: '/create', fields: { task_spec: { n: 1 }, toolset_name: null } },
  { method: 'POST', path: '/ping', fields: {} },
  { method: 'GET', path: '/echo/prompt', fields: {} },
  { method: 'GET', path: '/echo/task_tools', fields: {} },
  { method: 'POST', path: '/echo/call', fields: CALL },
  { method: 'POST', path: '/echo/call', fields: { ...CALL, task_id: 'mine-1' } },
  { method: 'POST', path: '/delete', fields: {} },
  { method: 'POST', path: '/delete_session', fields: {} },
  { method: 'GET', path: '/tools', fields: {} },
  {
    method: 'POST',
    path: '/tools/call',
    fields: {
      $schema: 'urn:oxp:1.0',
      request: { call_id: 'c1', tool_id: 'Echo.Say@1.0.0', input: { text: 'hello' }, context: { user_id: 'u' } },
    },
  },
];

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'BREW',
  'get',
] as const;

const PATHS = [
  '/',
  '//',
  '/../../etc/passwd',
  '/__proto__/tools',
  '/constructor/tools',
  '/toString/call',
  '/%00/tools',
  '/%zz/tools',
  '/%',
  '/echo%2ftools',
  '/ECHO/TOOLS',
  '/echo/tools/',
  '/echo//tools',
  '/echo/tools?x=1&x=2&__proto__[a]=1',
  '/echo/call?%ff',
  '/\u00e9\u00e8/tools',
  `/${'a'.repeat(4_000)}/tools`,
  '/tools',
  '/call',
  '*',
  'http://elsewhere.example/health',
] as const;

const SIDS = [
  '',
  ' ',
  'nobody',
  '__proto__',
  'constructor',
  'x'.repeat(5_000),
  '\u00ff\u00fe',
  'a\tb',
  '"',
  '../..',
] as const;

const HEADERS: readonly string[] = [
  'Accept: text/event-stream',
  'Accept: application/json',
  'Accept: */*;q=0, text/event-stream;q=1e9',
  `Accept: ${'a,'.repeat(2_000)}`,
  'X-Secrets: not base64 !!',
  `X-Secrets: ${Buffer.from('{"k":{"value":"v"}}').toString('base64')}`,
  `X-Secrets: ${Buffer.from('{"__proto__":{"value":"v"}}').toString('base64')}`,
  `X-Secrets: ${Buffer.from('[1,2]').toString('base64')}`,
  `X-Secrets: ${'A'.repeat(60_000)}`,
  'X-API-Key: \u00ff',
  'Authorization: Bearer a.b.c',
  'Authorization: Basic',
  'traceparent: 00-zz',
  'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'Cookie: a=b',
  'Range: bytes=0-1',
  'If-None-Match: *',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Content-Encoding: gzip',
  'X-HTTP-Method-Override: DELETE',
  'X-Forwarded-Host: elsewhere',
  'Origin: https://evil.example',
  'Origin: null',
  'Origin: http://localhost',
  'Sec-Fetch-Site: cross-site',
  'Access-Control-Request-Method: POST',
  'Expect: something',
  'Expect: 100-continue',
  '__proto__: x',
  'constructor: x',
];

const HOSTS = ['evil.example', 'localhost.evil.example', '', '[::1', '127.0.0.1:x', 'a'.repeat(5_000), '\u00ff'];

const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=latin1',
  'application/problem+json',
  'text/plain',
  'text/html;;;',
  'multipart/form-data',
  'application/x-www-form-urlencoded',
  '',
  '/',
  'a'.repeat(500),
] as const;

/** Makes requests that are wrong in one way or in several; `sids` are sessions that may be there. */
export function fuzzRequest(random: Random, sids: readonly string[]): FuzzRequest {
  const route = random.pick(ROUTES);
  const method = random.chance(0.8) ? route.method : random.pick(METHODS);
  const path = random.chance(0.85) ? route.path : random.pick(PATHS);
  const hasBody = method !== 'GET' && method !== 'HEAD' ? random.chance(0.95) : random.chance(0.1);
  const body = hasBody ? toBody(route, random) : undefined;
  const head = [`${method} ${path} HTTP/1.1`, ...headersOf(random, sids)];
  return { ...frame(head, body, random), method };
}

function toBody({ path, fields }: Route, random: Random): Buffer {
  return path === '/echo/call' && random.chance(0.2) ? wideOrRecursiveCall(random) : oddBody(fields, random);
}

/** A whole request that any number of can be sent one after the other. */
export function floodRequest(random: Random, sids: readonly string[]): FuzzRequest {
  const body = Buffer.from(JSON.stringify({ ...CALL, task_id: `flood-${random.below(3)}` }));
  const head = ['POST /echo/call HTTP/1.1', 'Host: localhost', `X-Session-ID: ${random.pick(sids)}`];
  const bytes = toBytes([...head, 'Content-Type: application/json', `Content-Length: ${body.length}`], body);
  return { bytes, method: 'POST', isWhole: true };
}

function headersOf(random: Random, sids: readonly string[]): string[] {
  const headers = random.chance(0.96) ? ['Host: localhost'] : random.chance(0.5) ? [`Host: ${random.pick(HOSTS)}`] : [];
  if (random.chance(0.75)) headers.push(`X-Session-ID: ${random.chance(0.7) ? random.pick(sids) : random.pick(SIDS)}`);
  if (random.chance(0.05)) headers.push(`X-Session-ID: ${random.pick(sids)}`);
  if (random.chance(0.9)) headers.push(`Content-Type: ${random.chance(0.7) ? 'application/json' : random.pick(TYPES)}`);
  for (let count = random.below(3); count > 0; count -= 1) headers.push(random.pick(HEADERS));
  return headers;
}

type Framed = Pick<FuzzRequest, 'bytes' | 'isWhole'>;

function frame(head: readonly string[], body: Buffer | undefined, random: Random): Framed {
  const kind = random.below(60);
  if (kind === 0)
    return broken(head, `Content-Length: ${random.pick(['-1', 'x', '1e3', '99999999999999999999'])}`, body);
  if (kind === 1) return broken(head, 'Transfer-Encoding: chunked\r\nContent-Length: 3', body);
  if (kind === 2) return broken(head, 'Transfer-Encoding: gzip, chunked', Buffer.from('zz\r\n'));
  if (kind === 3) return broken([...head, 'No colon in this line'], 'Content-Length: 0', undefined);
  if (kind === 4) return broken([`${head[0]}\u0000`, ...head.slice(1)], 'Content-Length: 0', undefined);
  if (kind === 5) return broken(head, `X-Long: ${'x'.repeat(100_000)}`, undefined);
  if (body === undefined) return { bytes: toBytes(head, undefined), isWhole: true };
  if (kind < 12)
    return { bytes: toBytes([...head, 'Transfer-Encoding: chunked'], inChunks(body, random)), isWhole: true };
  return { bytes: toBytes([...head, `Content-Length: ${body.length}`], body), isWhole: true };
}

function broken(head: readonly string[], header: string, body: Buffer | undefined): Framed {
  return { bytes: toBytes([...head, header], body), isWhole: false };
}

function inChunks(body: Buffer, random: Random): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const size = Math.min(body.length - at, 1 + random.below(body.length));
    pieces.push(Buffer.from(`${size.toString(16)}\r\n`), body.subarray(at, at + size), Buffer.from('\r\n'));
    at += size;
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}

function toBytes(head: readonly string[], body: Buffer | undefined): Buffer {
  // Latin-1: one byte for each character, as HTTP has it.
  const text = Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1');
  return body === undefined ? text : Buffer.concat([text, body]);
}
