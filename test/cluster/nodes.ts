import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { type Run, run, untilPrinted } from '../support/command.ts';
import { type CallAnswer, type CallOptions, client, type TestServer } from '../support/http.ts';

const MINUTE = 60_000;

/** For tests with processes: a busy machine takes its time. */
export const PATIENCE = { timeout: 5 * MINUTE } as const;

/** For what happens soon, unless the machine is busy. */
export const SOON = { timeout: MINUTE, interval: 100 } as const;

const MODULE = fileURLToPath(new URL('./tally.ts', import.meta.url));

/** A node in a process of its own. */
export interface Node extends Omit<TestServer, 'server' | 'counters'> {
  readonly name: string;
  readonly running: Run;
  signal(signal: NodeJS.Signals): void;
  /** A number of its metrics; 0 where there is none. */
  metric(name: string): Promise<number>;
  /** All of them, as Prometheus reads them. */
  metrics(): Promise<string>;
}

/** How nodes are started. */
export interface NodeOptions {
  readonly limits?: Readonly<Record<string, number>>;
  readonly env?: NodeJS.ProcessEnv;
  /** With which its metrics are read. */
  readonly apiKey?: string;
  /** Default: any that is free. */
  readonly port?: number;
}

let started = 0;

/** Starts a node; it is killed when the test ends. */
export async function startNode(nats: string, options: NodeOptions = {}): Promise<Node> {
  const { limits = {}, env = {}, apiKey, port = 0 } = options;
  started += 1;
  const name = `node${started}`;
  const limitArgs = Object.entries({ noticeMs: 0, ...limits }).flatMap(([key, value]) => [
    '--limit',
    `${key}=${value}`,
  ]);
  const running = run(
    ['serve', MODULE, '--cluster', nats, '--node-name', name, '--port', `${port}`, '--json', ...limitArgs],
    env,
  );
  const [, url = ''] = await untilPrinted(running, /"url":"([^"]+)"/);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  const metrics = async () => {
    const headers = apiKey === undefined ? {} : { 'x-api-key': apiKey };
    return (await fetch(`${url}/metrics`, { headers })).text();
  };
  return {
    name,
    running,
    url,
    ...client(url),
    signal: (signal) => void running.child.kill(signal),
    metrics,
    async metric(metric) {
      const line = (await metrics())
        .split('\n')
        .find((each) => each.startsWith(`${metric} `) || each.startsWith(`${metric}{`));
      return Number(line?.split(' ').at(-1) ?? 0);
    },
  };
}

/** Starts several, and waits until all of them know each other. */
export async function startNodes(nats: string, count: number, options: NodeOptions = {}): Promise<Node[]> {
  const nodes = await Promise.all(Array.from({ length: count }, () => startNode(nats, options)));
  await untilKnown(nodes, count);
  return nodes;
}

/** Waits until each of the nodes knows so many. */
export async function untilKnown(nodes: readonly Node[], count: number): Promise<void> {
  for (const node of nodes)
    await expect.poll(() => node.metric('tiltyard_cluster_nodes{state="alive"}'), SOON).toBe(count);
}

/** Adds to the total of a session, as a client that sends an id and repeats until it is answered. */
export async function add(
  nodes: readonly Node[],
  sid: string,
  amount: number,
  { taskId = crypto.randomUUID(), ...more }: CallOptions = {},
): Promise<string> {
  return insist(nodes, sid, 'add', { amount }, { taskId, ...more });
}

/** Calls a tool at one node after the other until one answers. */
export async function insist(
  nodes: readonly Node[],
  sid: string,
  tool: string,
  input: object,
  options: CallOptions,
): Promise<string> {
  let last: unknown;
  const until = Date.now() + 2 * MINUTE;
  for (let attempt = 0; Date.now() < until; attempt += 1) {
    const node = nodes[attempt % nodes.length] as Node;
    try {
      const answer = await node.call(sid, tool, input, { env: 'tally', ...options });
      if (answer.result !== undefined || answer.error !== undefined) return textOf(answer);
      if (answer.status < 500 && answer.status !== 200) return textOf(answer);
      last = answer;
    } catch (thrown) {
      // The node is gone, or its answer was cut off: the id says that it is the same call.
      last = thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no node answered: ${last instanceof Error ? last : JSON.stringify(last)}`);
}

/** What a call told: its text, or what is wrong. */
export function textOf({ result, error, json, status }: CallAnswer): string {
  const told = result as any;
  if (told?.ok === true) return told.output.blocks[0].text;
  return told?.error ?? error ?? json?.code ?? `status ${status}`;
}
