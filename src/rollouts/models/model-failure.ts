import { isObject } from '../../protocol/index.ts';
import type { Stop } from '../../records/index.ts';

/** A request to a model that did not give an answer. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  readonly stop: Stop;
  /** The status of the response; undefined if there was none. */
  readonly status: number | undefined;
  /** How long the provider asks to be left alone, as far as it is obeyed. */
  readonly retryAfterMs: number | undefined;

  constructor(
    stop: Stop,
    message: string,
    options: ErrorOptions & Partial<Pick<ModelFailure, 'status' | 'retryAfterMs'>> = {},
  ) {
    super(message, options);
    this.stop = stop;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** Whether the same request may be answered a little later. */
  get mayPass(): boolean {
    const { stop, status = 0 } = this;
    return stop === 'model_error' && (status < 300 || status >= 500 || PASSING.has(status));
  }
}

// Too slow, in conflict with another one, too early, too many. Whatever else is wrong with a request stays wrong with it.
const PASSING = new Set([408, 409, 425, 429]);

/** What a response with an error status means. */
export function toFailure(status: number, text: string, headers: Pick<Headers, 'get'>): ModelFailure {
  // It would carry the key somewhere else.
  if (status >= 300 && status < 400)
    return new ModelFailure('model_error', "the model's server redirects, which is not followed", { status });
  const { message, code } = readError(text);
  const said = `the model's server answered ${status}: ${message.slice(0, 500) || '(nothing)'}`;
  return new ModelFailure(stopFor(status, code, message), said, { status, retryAfterMs: retryAfterOf(headers) });
}

// The request itself is refused, and every other one would be: a wrong key, an unknown model, an account without money.
const REFUSING = new Set([401, 402, 403, 404]);

const OVERFLOW =
  /context[ _-]?(?:length|window|size)|maximum context|prompt is too long|too many (?:input )?tokens|input token count.*exceeds|longer than the maximum model length/i;

const DECLINED = /content[ _]filter|content[ _]policy|invalid_prompt|safety system/i;

function stopFor(status: number, code: string, message: string): Stop {
  if (REFUSING.has(status) || code === 'insufficient_quota') return 'model_refused';
  const isRequest = status === 400 || status === 413 || status === 422;
  if (isRequest && (OVERFLOW.test(code) || OVERFLOW.test(message))) return 'context';
  return isRequest && (DECLINED.test(code) || DECLINED.test(message)) ? 'refused' : 'model_error';
}

// Providers wrap it differently: {error: {message, code|type|status}}, {message}, a list with one of these, or plain text.
function readError(text: string): { readonly message: string; readonly code: string } {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { message: text, code: '' }; // a proxy's page, most likely
  }
  const first = Array.isArray(body) ? body[0] : body;
  const outer = isObject(first) ? first : {};
  const error = isObject(outer.error) ? outer.error : outer;
  const message = [error.message, outer.error, outer.detail, text].find((each) => typeof each === 'string') as string;
  const code = [error.code, error.type, error.status].find((each) => typeof each === 'string');
  return { message, code: typeof code === 'string' ? code : '' };
}

// No provider makes a run wait for longer at a time.
const LONGEST_ASKED_MS = 10 * 60_000;

/** Retry-After: seconds, or a date. */
function retryAfterOf(headers: Pick<Headers, 'get'>): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const ms = /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), LONGEST_ASKED_MS) : undefined;
}
