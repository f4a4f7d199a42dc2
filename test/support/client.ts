import { type Client, type ConnectOptions, connect, type Session } from 'tiltyard/client';
import { onTestFinished, vi } from 'vitest';

/** Pauses so short that a test of many failures takes no time. */
export const QUICK = { attempts: 6, pauseMs: 1, maxPauseMs: 4 };

/** A client for tests: impatient, and with no pings but those that the test asks for. */
export function quickClient(server: { readonly url: string }, options: ConnectOptions = {}): Client {
  return connect(server.url, { apiKey: '', environment: 'math', pingMs: 60_000, retry: QUICK, ...options });
}

/** A session on the first task, closed when the test ends. */
export async function openSession(server: { readonly url: string }, options: ConnectOptions = {}): Promise<Session> {
  const session = await quickClient(server, options).session({ split: 'train', index: 0 });
  onTestFinished(() => session.close());
  return session;
}

/** The error with which something rejects. */
export async function rejection(promise: Promise<unknown>): Promise<any> {
  return promise.then(
    (value) => {
      throw new Error(`it was fulfilled with ${JSON.stringify(value)}`);
    },
    (error) => error,
  );
}

/** Waits until a check passes; patient, because tests run on busy machines. */
export function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: 10_000, interval: 10 });
}
