import { connect, connectOxp, type Fetch } from '../../client/index.ts';
import { environmentInUrl, type Retype } from './environment-in-url.ts';
import { explain } from './explain.ts';
import { onInterrupt } from './interruption.ts';
import type { OpenServer } from './open-server.ts';
import type { ModuleOptions, Target } from './serve-module.ts';
import { openTarget } from './target.ts';
import { waitFor } from './waiting.ts';

export type { OpenServer } from './open-server.ts';

// A person waits: a server that is not there shall be named at once, and one that stumbles be asked again.
const RETRY = { attempts: 3, pauseMs: 100, maxPauseMs: 1_000 };
const ANSWER_MS = 60_000;

/** How a server is opened, and what is said where that was not one. */
export interface ServerOptions extends ModuleOptions {
  /** For commands that take an environment with `-e`. */
  readonly retype?: Retype;
}

/** Opens what a person named, runs a command's work on it, and closes it; what the client throws becomes advice. */
export async function withServer<Value>(
  name: string,
  run: (server: OpenServer) => Promise<Value>,
  { retype, ...options }: ServerOptions = {},
): Promise<Value> {
  using interruption = onInterrupt();
  const { signal } = interruption;
  await using target = await openTarget(name, { ...options, signal });
  let hasAnswered = false;
  const watch = (ask: Fetch): Fetch => {
    const askFirst: Fetch = async (...request) => {
      const response = await waitFor(`waiting for ${target.url} to answer`, ask(...request));
      hasAnswered = true;
      return response;
    };
    return (...request) => (hasAnswered ? ask(...request) : askFirst(...request));
  };
  const server = toServer(name, target, { signal, watch });
  try {
    return await run(server);
  } catch (thrown) {
    // However the interruption showed itself, it is what happened.
    if (signal.aborted) throw signal.reason;
    const misplaced = retype && (await environmentInUrl(server, retype));
    if (misplaced !== undefined) throw misplaced;
    throw explain(thrown, { url: target.url, hasKey: Boolean(target.apiKey), hasAnswered });
  }
}

function toServer(
  name: string,
  { url, apiKey, module }: Target,
  { signal, watch }: Pick<OpenServer, 'signal' | 'watch'>,
): OpenServer {
  const fetch = watch(globalThis.fetch);
  return {
    name,
    url,
    apiKey,
    ors: connect(url, { apiKey, fetch, retry: RETRY, answerMs: ANSWER_MS }),
    oxp: connectOxp(url, { apiKey, fetch, retry: RETRY, answerMs: ANSWER_MS }),
    fetch,
    watch,
    module,
    signal,
  };
}
