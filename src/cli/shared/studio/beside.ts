import type { AuthOptions } from '../../../server/index.ts';
import type { Studio } from '../../../studio/index.ts';
import { withoutForeignFrames } from '../location.ts';

/** A server that the studio is started beside. */
export interface BesideServer {
  /** As people know it: its first module. */
  readonly name: string;
  readonly url: string;
  readonly auth: AuthOptions | undefined;
}

/** Starts the studio beside a server that was just started, with a key that the server takes. */
export async function startBeside({ name, url, auth }: BesideServer): Promise<Studio> {
  const { startStudio } = await import('../../../studio/index.ts');
  const { runBenchCommand } = await import('./bench.ts');
  const target = { name, url: toLocal(url), apiKey: keyOf(auth), isModule: true };
  return startStudio({
    targets: [target],
    runs: ['runs'],
    bench: runBenchCommand,
    toMessage: withoutForeignFrames,
  });
}

/** What a program on this machine calls, where the server listens on all addresses. */
function toLocal(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** The first key that may do everything, or orchestrate; empty where there is none. */
function keyOf(auth: AuthOptions | undefined): string {
  for (const entry of auth?.apiKeys ?? []) {
    const { key, scopes } = typeof entry === 'string' ? { key: entry } : entry;
    if (scopes === undefined || scopes.includes('orchestrator')) return key;
  }
  return '';
}
