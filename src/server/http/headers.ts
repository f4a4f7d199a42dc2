import type { IncomingHttpHeaders } from 'node:http';
import { TiltyardError } from '../../core/index.ts';
import { isObject, SECRETS_HEADER, SESSION_HEADER } from '../../protocol/index.ts';

/** The longest session id that is taken. */
export const MAX_SID_LENGTH = 256;

/** The session id of a request, or undefined where the header is missing or blank. */
export function findSid(headers: IncomingHttpHeaders): string | undefined {
  const sid = headers[SESSION_HEADER];
  if (typeof sid !== 'string') return undefined;
  return sid.trim() || undefined;
}

/** The session id of a request that needs one. */
export function readSid(headers: IncomingHttpHeaders): string {
  const sid = findSid(headers);
  if (sid === undefined)
    throw new TiltyardError('bad_request', 'X-Session-ID header is required. POST /create_session gives an id');
  if (sid.length > MAX_SID_LENGTH)
    throw new TiltyardError('bad_request', `X-Session-ID must have at most ${MAX_SID_LENGTH} characters`);
  return sid;
}

/** Secrets that came in a header: base64 of `{ name: { value } }`, as the official clients send them. */
export function readSecretsHeader(headers: IncomingHttpHeaders): Record<string, string> {
  return readNamedValues(headers, SECRETS_HEADER);
}

/** Texts by name that came in a header, in that form. */
export function readNamedValues(headers: IncomingHttpHeaders, header: string): Record<string, string> {
  const given = headers[header];
  if (given === undefined || given === '') return {};
  const parsed = parseBase64Json(String(given), header);
  if (!isObject(parsed)) throw malformed(header);
  const values: [string, string][] = Object.entries(parsed).map(([name, entry]) => {
    const value = isObject(entry) ? entry.value : entry;
    if (typeof value !== 'string') throw malformed(header);
    return [name, value];
  });
  return Object.fromEntries(values);
}

function parseBase64Json(given: string, header: string): unknown {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(given)) throw malformed(header);
  try {
    return JSON.parse(Buffer.from(given, 'base64').toString());
  } catch (thrown) {
    throw malformed(header, thrown);
  }
}

function malformed(header: string, cause?: unknown): TiltyardError {
  const shown = header.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  return new TiltyardError('bad_request', `${shown} must be base64 of a JSON object: {"NAME": {"value": "..."}}`, {
    cause,
  });
}

/** Whether the client wants an event stream rather than JSON: it names the one and does not rank the other as high. */
export function prefersEventStream(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const stream = quality(accept, 'text/event-stream');
  return stream > 0 && stream > quality(accept, 'application/json');
}

function quality(accept: string, type: string): number {
  for (const range of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim());
    if (name !== type) continue;
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    return q === undefined ? 1 : Number(q.slice(2)) || 0;
  }
  return 0;
}
