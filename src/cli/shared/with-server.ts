import { type Client, connect, connectOxp, type OxpClient } from '../../client/index.ts';
import { explain } from './explain.ts';
import { onInterrupt } from './interruption.ts';
import type { ModuleOptions, ServedModule, Target } from './serve-module.ts';
import { openTarget } from './target.ts';

/** A server that a command speaks to, over both protocols. */
export interface OpenServer {
  /** As the person named it: a URL or a module. */
  readonly name: string;
  readonly url: string;
  /** Empty where none shall be sent. */
  readonly apiKey: string | undefined;
  readonly ors: Client;
  readonly oxp: OxpClient;
  /** What is known of a module, if the server was started for this command. */
  readonly module: ServedModule | undefined;
  /** Fires at Ctrl-C. */
  readonly signal: AbortSignal;
}

// A person waits: a server that is not there shall be named at once, and one that stumbles be asked again.
const RETRY = { attempts: 3, pauseMs: 100, maxPauseMs: 1_000 };
const ANSWER_MS = 60_000;

/** Opens what a person named, runs a command's work on it, and closes it; what the client throws becomes advice. */
export async function withServer<Value>(
  name: string,
  run: (server: OpenServer) => Promise<Value>,
  options: ModuleOptions = {},
): Promise<Value> {
  using interruption = onInterrupt();
  const { signal } = interruption;
  await using target = await openTarget(name, { ...options, signal });
  let hasAnswered = false;
  const watchedFetch: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    hasAnswered = true;
    return response;
  };
  try {
    return await run(toServer(name, target, { signal, fetch: watchedFetch }));
  } catch (thrown) {
    // However the interruption showed itself, it is what happened.
    if (signal.aborted) throw signal.reason;
    throw explain(thrown, { url: target.url, hasKey: Boolean(target.apiKey), hasAnswered });
  }
}

interface Reaching {
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
}

function toServer(name: string, { url, apiKey, module }: Target, { signal, fetch }: Reaching): OpenServer {
  return {
    name,
    url,
    apiKey,
    ors: connect(url, { apiKey, fetch, retry: RETRY, answerMs: ANSWER_MS }),
    oxp: connectOxp(url, { apiKey, fetch, retry: RETRY, answerMs: ANSWER_MS }),
    module,
    signal,
  };
}
