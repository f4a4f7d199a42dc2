import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';

/** One server of NATS, or three that keep each record three times. */
export interface NatsServers extends AsyncDisposable {
  /** Of all of them. */
  readonly url: string;
  readonly ports: readonly number[];
  signal(index: number, signal: NodeJS.Signals): void;
  /** Starts one again that was ended. */
  restart(index: number): Promise<void>;
  /** Which one leads the journal's stream. */
  leader(): Promise<number>;
}

/** Starts servers with JetStream, on loopback. */
export async function startNats(path: string, count: 1 | 3 = 1): Promise<NatsServers> {
  const folder = await mkdtemp(join(tmpdir(), 'tiltyard-nats-'));
  const ports = await freePorts(count);
  const routes = await freePorts(count);
  const monitors = await freePorts(count);
  const processes: ChildProcess[] = [];
  const start = async (index: number) => {
    const config = join(folder, `${index}.conf`);
    await writeFile(config, configuration(index, { folder, ports, routes, monitors }));
    const child = spawn(path, ['-c', config], { stdio: 'ignore' });
    processes[index] = child;
    await untilListening(ports[index] as number);
  };
  await Promise.all(ports.map((_, index) => start(index)));
  return {
    ports,
    url: ports.map((port) => `nats://127.0.0.1:${port}`).join(','),
    signal: (index, signal) => void processes[index]?.kill(signal),
    async restart(index) {
      const child = processes[index];
      if (child?.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await start(index);
    },
    async leader() {
      for (const [index, port] of monitors.entries()) {
        const answer = await fetch(`http://127.0.0.1:${port}/jsz?streams=true&accounts=true`).catch(() => undefined);
        const told = (await answer?.json()) as Jsz | undefined;
        const [stream] = told?.account_details?.flatMap(({ stream_detail = [] }) => stream_detail) ?? [];
        if (stream?.cluster?.leader === `server-${index}`) return index;
      }
      throw new Error('no server leads');
    },
    async [Symbol.asyncDispose]() {
      for (const child of processes) {
        child.kill('SIGKILL');
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Jsz {
  readonly account_details?: readonly {
    readonly stream_detail?: readonly { readonly cluster?: { readonly leader?: string } }[];
  }[];
}

interface Places {
  readonly folder: string;
  readonly ports: readonly number[];
  readonly routes: readonly number[];
  readonly monitors: readonly number[];
}

function configuration(index: number, { folder, ports, routes, monitors }: Places): string {
  const lines = [
    `server_name: server-${index}`,
    `listen: "127.0.0.1:${ports[index]}"`,
    `http: "127.0.0.1:${monitors[index]}"`,
    `jetstream { store_dir: "${join(folder, String(index))}", max_file_store: 1GB, max_memory_store: 64MB }`,
  ];
  if (ports.length === 1) return lines.join('\n');
  const others = routes.filter((_, other) => other !== index).map((port) => `"nats://127.0.0.1:${port}"`);
  // A client that comes through a proxy must not be told the way around it.
  const cluster = `cluster { name: test, listen: "127.0.0.1:${routes[index]}", no_advertise: true, routes: [${others}] }`;
  return [...lines, cluster].join('\n');
}

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const socket = connect(port, '127.0.0.1');
    const isThere = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing listens on port ${port}`);
}
