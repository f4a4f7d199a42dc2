import { type CheckReport, checkServer, UnknownPart } from '../../checking/index.ts';
import { misuse } from '../shared/failure.ts';
import { waitFor } from '../shared/waiting.ts';
import type { OpenServer } from '../shared/with-server.ts';
import { lazyBar } from './lazy-bar.ts';
import type { CheckRun } from './options.ts';

const TIMEOUT_MS = 10_000;
const SETUP_MS = 60_000;

/** Checks a server against the protocols that it speaks, showing how far that is. */
export async function runReferee(server: OpenServer, options: CheckRun): Promise<CheckReport> {
  const { url, apiKey, signal } = server;
  using bar = lazyBar();
  let hear = () => {};
  const heard = new Promise<void>((resolve) => {
    hear = resolve;
  });
  const checking = checkServer({
    url,
    headers: headersFor(apiKey),
    isActive: options.active ?? false,
    only: options.only ?? [],
    timeoutMs: options.timeout ?? TIMEOUT_MS,
    secrets: options.secrets,
    setupMs: options.setupTimeout ?? SETUP_MS,
    signal,
    onFinding: ({ id }, { protocol, done, total }) => {
      hear();
      bar.advance(done, total, `${protocol}/${id}`);
    },
  });
  void waitFor(`waiting for ${url} to answer`, Promise.race([heard, checking.catch(() => {})]));
  return await checking.catch((thrown: unknown) => {
    throw thrown instanceof UnknownPart ? misuse(`--only: ${thrown.message}`) : thrown;
  });
}

// The key goes out under both names: which protocol the server speaks is not known yet.
function headersFor(apiKey = ''): Record<string, string> {
  return apiKey === '' ? {} : { 'x-api-key': apiKey, 'oxp-api-key': apiKey };
}
