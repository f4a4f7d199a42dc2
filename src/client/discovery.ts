import type { JsonValue } from '../protocol/index.ts';
import { type CallOptions, Deadline } from './deadline.ts';
import { isGone } from './gone.ts';
import { type OpenContext, requestSid } from './open-session.ts';
import { readJson } from './read-json.ts';
import type { Reader } from './reading.ts';
import { withRetries } from './retry.ts';
import { unlessAborted } from './unless-aborted.ts';

/** How discovery reaches the server. */
export interface DiscoveryContext extends Omit<OpenContext, 'environment'> {
  /** Whether the server wants a session id even for this. */
  readonly needsSession: boolean;
}

/** Asks what a server has: one request a question. */
export class Discovery {
  readonly #context: DiscoveryContext;
  #sid: Promise<string> | undefined;

  constructor(context: DiscoveryContext) {
    this.#context = context;
  }

  /** A GET, or a POST where there is a body. */
  async ask<Value>(path: string, read: Reader<Value>, body?: JsonValue, options: CallOptions = {}): Promise<Value> {
    const method = body === undefined ? 'GET' : 'POST';
    const what = `${method} ${path}`;
    const { transport, retry, needsSession } = this.#context;
    // These are answered at once, by a server that means well.
    using deadline = new Deadline({ what }, { ...options, timeoutMs: options.timeoutMs ?? transport.bounds.answerMs });
    const { end: signal } = deadline;
    signal.throwIfAborted();
    const send = async () => {
      const sid = needsSession ? await unlessAborted(this.#issuedSid(), signal) : undefined;
      const request = { method, path, body, sid, signal } as const;
      return readJson(await transport.ask(request), request, read);
    };
    return await withRetries(
      what,
      () =>
        send().catch((error) => {
          if (!needsSession || !isGone(error)) throw error;
          // Such ids live for a minute or two, a client for hours.
          this.#sid = undefined;
          return send();
        }),
      { retry, signal },
    );
  }

  // One id for all who ask meanwhile; not under a caller's signal, because it is not that caller's alone.
  #issuedSid(): Promise<string> {
    this.#sid ??= requestSid(this.#context, undefined).then(
      ({ sid }) => sid,
      (error) => {
        this.#sid = undefined;
        throw error;
      },
    );
    return this.#sid;
  }
}
