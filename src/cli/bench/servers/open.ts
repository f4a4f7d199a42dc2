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
  /** What it has used so far, and the lag of its event loop since the last question, where that can be known. */
  read(): Promise<ServerReading>;
}

/** What is known of a server at one moment. */
export interface ServerReading {
  readonly usage: UsageReading | undefined;
  readonly lag: Lag | undefined;
}

/** Opens what a person named: a URL, or a module, which gets a process of its own. */
export async function openServer(text: string): Promise<BenchServer> {
  const url = toUrl(text);
  return url === undefined ? await openModule(text) : await openUrl(text, url);
}

async function openModule(path: string): Promise<BenchServer> {
  const child = await startChildServer(path);
  return {
    name: path,
    url: child.url,
    apiKey: undefined,
    isLocal: true,
    async read() {
      const usage = await child.usage();
      const { mean, p99, max } = usage?.lagMs ?? { mean: 0, p99: 0, max: 0 };
      return { usage, lag: usage && { meanMs: mean, p99Ms: p99, maxMs: max } };
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

async function openUrl(name: string, url: string): Promise<BenchServer> {
  const { TILTYARD_API_KEY, ORS_API_KEY } = process.env;
  const apiKey = TILTYARD_API_KEY || ORS_API_KEY || undefined;
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
    async read() {
      const [usage, lag] = await Promise.all([meter?.read(), fetchLag(url, headers)]);
      return { usage, lag };
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** Whether a host name means this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
