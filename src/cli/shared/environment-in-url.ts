import { connect } from '../../client/index.ts';
import { Failure } from './failure.ts';
import type { OpenServer } from './open-server.ts';
import { environmentsOf } from './protocols.ts';
import { toSafeText } from './safe-text.ts';

/** The command line that a person would type for another target. */
export type Retype = (target: string) => string;

// Something has failed already, and a person waits for the message.
const ASKING = { attempts: 1 };
const ANSWER_MS = 5_000;

/**
 * What to say where a URL is that of an environment, as it stands in the paths of a server: http://localhost:8080/math. Undefined if it is
 * not, or if that cannot be found out.
 */
export async function environmentInUrl(server: OpenServer, retype: Retype): Promise<Failure | undefined> {
  const url = new URL(server.url);
  const [, path = '', last] = /^(.*)\/([^/]+)$/.exec(url.pathname) ?? [];
  if (server.module !== undefined || last === undefined) return undefined;
  const base = `${url.origin}${path}`;
  const { apiKey, fetch, signal } = server;
  const ask = (at: string, key: string | undefined) =>
    environmentsOf({ ors: connect(at, { apiKey: key, fetch, retry: ASKING, answerMs: ANSWER_MS }), signal });
  try {
    // A server may well be behind such a path.
    if ((await ask(server.url, apiKey)) !== undefined) return undefined;
    // Without the key: at another path than the one that was named, it may be somebody else's server.
    const names = (await ask(base, '')) ?? [];
    const name = names.find((each) => each.toLowerCase() === decodeURIComponent(last).toLowerCase());
    if (name === undefined) return undefined;
    const line = `${retype(base)} -e ${name}`;
    return new Failure(toSafeText(`${server.url} is an environment of the server ${base}. Name it with -e: ${line}`));
  } catch {
    // What failed first is told then.
    return undefined;
  }
}
