import type { AnswerBounds } from './answer-bounds.ts';
import { readNames } from './answers.ts';
import { keyFromEnvironment } from './api-key.ts';
import type { CallOptions } from './deadline.ts';
import { Discovery } from './discovery.ts';
import { EnvironmentClient } from './environment.ts';
import { ClientError } from './errors.ts';
import type { SessionOptions } from './open-session.ts';
import { Pinger } from './pinger.ts';
import { DEFAULT_RETRY, type RetryOptions } from './retry.ts';
import type { Session } from './session.ts';
import { type Fetch, Transport } from './transport.ts';
import type { TaskOf } from './types.ts';

/** How to use a server. */
export interface ConnectOptions extends AnswerBounds {
  /** Sent as X-API-Key. Default: the environment variable TILTYARD_API_KEY, or ORS_API_KEY; '' sends none. */
  readonly apiKey?: string | undefined;
  /** The environment that `session()` means. Default: the server's first. */
  readonly environment?: string | undefined;
  /** Headers for every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Another fetch than the platform's. */
  readonly fetch?: Fetch | undefined;
  /** How failed requests are repeated. Default: 6 attempts, with pauses from 250 ms to 10 s. */
  readonly retry?: Partial<RetryOptions> | undefined;
  /** How often an open session is pinged. Default: 10 s. */
  readonly pingMs?: number | undefined;
  /** No byte of a running call for this long counts as a lost connection. Default: 30 s. */
  readonly silenceMs?: number | undefined;
  /**
   * What to do when a connection drops so early that the call may or may not have run, on a server that gives the client
   * no say in the id. Default: 'fail'. 'repeat' may run a tool twice.
   */
  readonly onUnknown?: 'fail' | 'repeat' | undefined;
  /** Whether discovery needs a session id, as on the hosted platform; one is asked for and kept. Default: false. */
  readonly discoveryNeedsSession?: boolean | undefined;
}

/** A server of environments. */
export interface Client<Env = unknown> {
  /** The names of the server's environments. */
  environments(options?: CallOptions): Promise<string[]>;
  /** One environment by name; nothing is asked of the server yet. */
  environment<Other = Env>(name: string): EnvironmentClient<Other>;
  /** Begins an episode of the default environment. */
  // Written out: what is missing is then in the compile error, and not the type of the whole environment.
  session(
    request: ({ readonly split: string; readonly index: number } | { readonly task: TaskOf<Env> }) & SessionOptions,
  ): Promise<Session<Env>>;
}

/** Connects to an ORS server. `connect<typeof env>(url)` knows the environment's tools and their inputs. */
export function connect<Env = unknown>(url: string, options: ConnectOptions = {}): Client<Env> {
  const {
    apiKey = keyFromEnvironment(),
    fetch,
    headers,
    pingMs = 10_000,
    silenceMs = 30_000,
    onUnknown = 'fail',
  } = options;
  const retry = { ...DEFAULT_RETRY, ...options.retry };
  const transport = new Transport({ url, apiKey, fetch, headers, bounds: options });
  const server = { takesSids: false };
  const context = { transport, server, pinger: new Pinger(pingMs), retry, silenceMs, onUnknown };
  const discovery = new Discovery({ ...context, needsSession: options.discoveryNeedsSession ?? false });
  const environments = (how?: CallOptions) => discovery.ask('/list_environments', readNames, undefined, how);
  let defaultName = options.environment;
  return {
    environments,
    environment: (name) => new EnvironmentClient(name, context, discovery),
    async session(request) {
      const { signal, timeoutMs } = request;
      const begun = Date.now();
      defaultName ??= (await environments({ signal, timeoutMs }))[0];
      if (defaultName === undefined) throw new ClientError('the server has no environment');
      // What is left of it: the time is for both questions together.
      const left = timeoutMs === undefined ? undefined : timeoutMs - (Date.now() - begun);
      return new EnvironmentClient<Env>(defaultName, context, discovery).session({ ...request, timeoutMs: left });
    },
  };
}
