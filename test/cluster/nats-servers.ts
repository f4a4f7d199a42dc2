import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { startNatsProcess, untilEnded } from './nats-process.ts';

/** One server of NATS, or three that keep each record three times. */
export interface NatsServers extends AsyncDisposable {
  /** Of all of them. */
  readonly url: string;
  readonly ports: readonly number[];
  signal(index: number, signal: NodeJS.Signals): void;
  /** Starts one again that was ended. */
  restart(index: number): Promise<void>;
  /** Which one leads the journal's stream; waits until one does. */
  leader(): Promise<number>;
}

/** How servers are started. */
export interface NatsOptions {
  /** How much each of them may keep. Default: 1GB. */
  readonly maxFileStore?: string;
}

/** Starts servers with JetStream, on loopback. */
export async function startNats(path: string, count: 1 | 3 = 1, options: NatsOptions = {}): Promise<NatsServers> {
  for (let left = STARTS - 1; ; left -= 1) {
    const servers = new Servers(path, { ...options, ...(await choosePlaces(count)) });
    const started = await Promise.allSettled(servers.ports.map((_, index) => servers.start(index)));
    const failed = started.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (failed === undefined) return servers;
    await servers[Symbol.asyncDispose]();
    // Somebody else may have taken a port meanwhile: there are others.
    if (left === 0) throw failed.reason;
  }
}

const STARTS = 3;

// Of a machine that is busy with other things.
const PATIENCE_MS = 60_000;
const LOOK_MS = 200;

class Servers implements NatsServers {
  readonly #path: string;
  readonly #places: Places;
  readonly #processes: ChildProcess[] = [];

  constructor(path: string, places: Places) {
    this.#path = path;
    this.#places = places;
  }

  get ports(): readonly number[] {
    return this.#places.ports;
  }

  get url(): string {
    return this.ports.map((port) => `nats://127.0.0.1:${port}`).join(',');
  }

  async start(index: number): Promise<void> {
    const config = join(this.#places.folder, `${index}.conf`);
    await writeFile(config, configuration(index, this.#places));
    this.#processes[index] = await startNatsProcess(this.#path, config);
  }

  signal(index: number, signal: NodeJS.Signals): void {
    this.#processes[index]?.kill(signal);
  }

  async restart(index: number): Promise<void> {
    await untilEnded(this.#processes[index]);
    await this.start(index);
  }

  async leader(): Promise<number> {
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await pause(LOOK_MS)) {
      const leader = await this.#whoLeads();
      if (leader !== undefined) return leader;
    }
    throw new Error(`no server of NATS led for ${PATIENCE_MS} ms`);
  }

  async #whoLeads(): Promise<number | undefined> {
    for (const [index, port] of this.#places.monitors.entries()) {
      const answer = await fetch(`http://127.0.0.1:${port}/jsz?streams=true&accounts=true`).catch(() => undefined);
      const told = (await answer?.json()) as Jsz | undefined;
      const [stream] = told?.account_details?.flatMap(({ stream_detail = [] }) => stream_detail) ?? [];
      if (stream?.cluster?.leader === `server-${index}`) return index;
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#processes) child?.kill('SIGKILL');
    for (const child of this.#processes) await untilEnded(child);
    await rm(this.#places.folder, { recursive: true, force: true });
  }
}

interface Jsz {
  readonly account_details?: readonly {
    readonly stream_detail?: readonly { readonly cluster?: { readonly leader?: string } }[];
  }[];
}

interface Places extends NatsOptions {
  readonly folder: string;
  readonly ports: readonly number[];
  readonly routes: readonly number[];
  readonly monitors: readonly number[];
}

function configuration(index: number, { folder, ports, routes, monitors, maxFileStore = '1GB' }: Places): string {
  const lines = [
    `server_name: server-${index}`,
    `listen: "127.0.0.1:${ports[index]}"`,
    `http: "127.0.0.1:${monitors[index]}"`,
    `jetstream { store_dir: "${join(folder, String(index))}", max_file_store: ${maxFileStore}, max_memory_store: 64MB }`,
  ];
  if (ports.length === 1) return lines.join('\n');
  const others = routes.filter((_, other) => other !== index).map((port) => `"nats://127.0.0.1:${port}"`);
  // A client that comes through a proxy must not be told the way around it.
  const cluster = `cluster { name: test, listen: "127.0.0.1:${routes[index]}", no_advertise: true, routes: [${others}] }`;
  return [...lines, cluster].join('\n');
}

async function choosePlaces(count: number): Promise<Places> {
  const choose = () => Promise.all(Array.from({ length: count }, freePort));
  const folder = await mkdtemp(join(tmpdir(), 'tiltyard-nats-'));
  return { folder, ports: await choose(), routes: await choose(), monitors: await choose() };
}
