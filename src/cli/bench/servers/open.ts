import { keyFromEnvironment } from '../../../client/index.ts';
import { toUrl } from '../../shared/target.ts';
import { startChildServer } from './child-server.ts';
import { findLocalProcess } from './local-process.ts';
import { fetchLag } from './metrics.ts';
import type { Lag, UsageReading } from './usage.ts';

/** A server under load. */
export interface BenchServer extends AsyncDisposable {
  /** As the person named it. */
  readonly name: string;
  readonly url: string;
  readonly apiKey: string | undefined;
  /** Whether it runs on this machine, so that a call without being asked does no harm elsewhere. */
  readonly isLocal: boolean;
  /** What it has used so far, where that can be known. */
  readUsage(): Promise<UsageReading | undefined>;
  /** The lag of its event loop since the last question, where that can be known. */
  readLag(): Promise<Lag | undefined>;
}

/** Opens what a person named: a URL, or a module, which gets a process of its own. */
export async function openServer(text: string, signal: AbortSignal): Promise<BenchServer> {
  const url = toUrl(text);
  return url === undefined ? await openModule(text, signal) : await openUrl(text, url);
}

async function openModule(path: string, signal: AbortSignal): Promise<BenchServer> {
  const child = await startChildServer(path, signal);
  let lag: Lag | undefined;
  return {
    name: path,
    url: child.url,
    apiKey: undefined,
    isLocal: true,
    async readUsage() {
      const usage = await child.usage();
      lag = usage && { meanMs: usage.lagMs.mean, p99Ms: usage.lagMs.p99, maxMs: usage.lagMs.max };
      return usage;
    },
    readLag: async () => lag,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

async function openUrl(name: string, url: string): Promise<BenchServer> {
  const apiKey = keyFromEnvironment();
  const { hostname, port, protocol } = new URL(url);
  const isLocal = isLoopback(hostname);
  const portNumber = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  const meter = isLocal ? await findLocalProcess(portNumber) : undefined;
  const headers: Record<string, string> = apiKey === undefined ? {} : { 'X-API-Key': apiKey, 'OXP-API-Key': apiKey };
  return {
    name,
    url,
    apiKey,
    isLocal,
    readUsage: async () => await meter?.read(),
    readLag: () => fetchLag(url, headers),
    async [Symbol.asyncDispose]() {},
  };
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
