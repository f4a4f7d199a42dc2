import { isObject } from '../protocol/index.ts';
import { AuthError, HttpError, SETUP_FAILED, SessionTerminated, STARTING } from './errors.ts';
import { parseJson } from './parse-json.ts';
import { toJsonText } from './quote.ts';
import type { ErrorAnswer, WireRequest } from './wire.ts';

/** What an error status means in ORS, as the class that says what to do. */
export function toOrsError({ status, statusText, headers, text }: ErrorAnswer, { sid }: WireRequest): Error {
  const { detail, code = toCode(headers) } = toDetail(text, statusText);
  if (code === SETUP_FAILED) return new HttpError(status, detail, { sid, code });
  if (status === 401) return new AuthError(status, detail, { sid, code });
  if (status === 410) return new SessionTerminated(`the session is over: ${detail}`, { sid, code, status });
  return new HttpError(status, detail, { sid, code, retryAfterMs: toRetryAfterMs(headers.get('retry-after')) });
}

// Servers of openreward, and the hosted platform before them, say in a header that an environment is being set up.
function toCode(headers: Headers): string | undefined {
  return headers.get('x-backend-state') === 'starting' ? STARTING : undefined;
}

/** What `Retry-After` asks for. In seconds; the other form, a date, is not for servers that are back soon. */
export function toRetryAfterMs(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) * 1000 : undefined;
}

/** The `detail` of an error body as text: a string, FastAPI's array of problems, or whatever came instead. */
export function toDetail(body: string, fallback: string): { detail: string; code?: string | undefined } {
  let parsed: unknown;
  try {
    parsed = parseJson(body);
  } catch {
    return { detail: body.slice(0, 500) || fallback }; // not JSON: a proxy's page, most likely
  }
  if (!isObject(parsed)) return { detail: body };
  const code = typeof parsed.code === 'string' ? parsed.code : undefined;
  const { detail } = parsed;
  if (typeof detail === 'string') return { detail, code };
  if (Array.isArray(detail)) return { detail: detail.map(toProblem).join('; '), code };
  return { detail: detail === undefined ? body : toJsonText(detail), code };
}

function toProblem(problem: unknown): string {
  if (!isObject(problem)) return toWords(problem);
  const { loc, msg } = problem;
  const place = Array.isArray(loc) ? `${loc.map(toWords).join('.')}: ` : '';
  return `${place}${toWords(msg ?? problem)}`;
}

// By JSON: an object may say of itself that it is no text.
function toWords(sent: unknown): string {
  return typeof sent === 'string' ? sent : toJsonText(sent);
}
