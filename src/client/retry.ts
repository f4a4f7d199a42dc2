import type { Stop } from './end.ts';
import { HttpError, MaxRetries, NetworkError, SETUP_FAILED, STARTING } from './errors.ts';
import { followStop } from './follow-signal.ts';
import { toDelay } from './timer.ts';

/** How often, and how fast, failed requests are repeated. */
export interface RetryOptions {
  /** How many times in a row a request may fail. A connection that held for longer than `maxPauseMs` starts the count anew. */
  readonly attempts: number;
  /** The pause before the second attempt; it doubles from there. */
  readonly pauseMs: number;
  /** The longest pause, also if the server asks for a longer one. */
  readonly maxPauseMs: number;
}

/** What the client does unless told otherwise. */
export const DEFAULT_RETRY: RetryOptions = { attempts: 6, pauseMs: 250, maxPauseMs: 10_000 };

/** What is repeated, and for how long. */
export interface RetryPlan {
  readonly retry: RetryOptions;
  readonly signal?: Stop | undefined;
  /** Which errors may be repeated. Default: those that may pass by themselves. */
  readonly mayRepeat?: (error: unknown) => boolean;
  /** Whether the answer may take longer than the platform waits, so that its giving up is no failure. Default: false. */
  readonly patient?: boolean;
}

// What such servers ask for themselves.
const STARTING_PAUSE_MS = 2_000;

const RETRIED_STATUSES = new Set([429, 502, 503, 504]);

/** Whether an error may pass by itself: the network, or a server or proxy that is overloaded. */
export function isPassing(error: unknown): boolean {
  if (error instanceof NetworkError) return !isUntrusted(error);
  return error instanceof HttpError && error.code !== SETUP_FAILED && RETRIED_STATUSES.has(error.status ?? 0);
}

// As Node and OpenSSL name what is wrong with a certificate.
const UNTRUSTED = /^(?:CERT_|ERR_TLS_CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$)/;

/** Whether nobody vouches for the certificate of a server, or it is another's: that stays so, however often it is asked. */
export function isUntrusted({ code }: NetworkError): boolean {
  return code !== undefined && UNTRUSTED.test(code);
}

/** Whether the server says that the environment is still being set up, so that nothing ran. */
export function isStarting(error: unknown): boolean {
  return error instanceof HttpError && error.code === STARTING;
}

/** Runs something until it succeeds, fails for good, or has been tried often enough. */
export async function withRetries<Value>(
  what: string,
  run: (attempt: number) => Promise<Value>,
  { retry, signal, mayRepeat = isPassing, patient = false }: RetryPlan,
): Promise<Value> {
  let errors: Error[] = [];
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run(attempt);
    } catch (error) {
      if (signal?.aborted || !mayRepeat(error)) throw error;
      if (patient && isHeadersTimeout(error)) continue;
      // A setup takes as long as it takes, and is no failure.
      if (isStarting(error)) {
        await pause(Math.min(STARTING_PAUSE_MS, retry.maxPauseMs), signal);
        continue;
      }
      if (hasHeld(error, retry)) errors = [];
      errors.push(error as Error);
    }
    if (errors.length >= retry.attempts) throw errors.length === 1 ? errors[0] : new MaxRetries(what, errors);
    await pause(Math.max(pauseBefore(errors.length, retry), askedFor(errors.at(-1), retry)), signal);
  }
}

// Node's fetch gives up on a response that takes five minutes; a setup may take longer.
function isHeadersTimeout(error: unknown): boolean {
  return error instanceof NetworkError && error.code === 'UND_ERR_HEADERS_TIMEOUT';
}

// Some gateways cut every stream after half a minute. A call of an hour must survive that, and at this rate it may.
function hasHeld(error: unknown, { maxPauseMs }: RetryOptions): boolean {
  return error instanceof NetworkError && error.heldMs > maxPauseMs;
}

/** Waits, unless the signal fires first. */
export function pause(ms: number, signal?: Stop): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const unfollow = signal && followStop(signal, onAbort);
    const timer = setTimeout(() => {
      unfollow?.();
      resolve();
    }, toDelay(ms));
    function onAbort(): void {
      clearTimeout(timer);
      unfollow?.();
      reject(signal?.reason);
    }
  });
}

// A server that is busy knows best when it will not be; but no server makes a client wait for hours.
function askedFor(error: Error | undefined, { maxPauseMs }: RetryOptions): number {
  return error instanceof HttpError ? Math.min(error.retryAfterMs ?? 0, maxPauseMs) : 0;
}

// Half fixed, half random: clients that failed together must not come back together.
function pauseBefore(failures: number, { pauseMs, maxPauseMs }: RetryOptions): number {
  const full = Math.min(maxPauseMs, pauseMs * 2 ** (failures - 1));
  return full / 2 + (Math.random() * full) / 2;
}
