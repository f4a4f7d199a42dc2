// npm run bench:profile: which functions of this server a call spends its time in.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orsCalls } from './calls.ts';
import { startChild } from './child.ts';
import { measure } from './load.ts';

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number }; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
}

const CONNECTIONS = Number(process.env.CONNECTIONS ?? 64);
const DURATION_MS = Number(process.env.DURATION_MS ?? 6_000);
const SHOWN = Number(process.env.SHOWN ?? 40);

const folder = await mkdtemp(join(tmpdir(), 'tiltyard-profile-'));
try {
  const server = await startChild('tiltyard', ['--cpu-prof', `--cpu-prof-dir=${folder}`]);
  const calls = await orsCalls(server, CONNECTIONS);
  await measure({ port: server.port, connections: CONNECTIONS, durationMs: DURATION_MS, ...calls });
  await server.stop();
  const profiles = await Promise.all(
    (await readdir(folder)).map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as Profile),
  );
  // The module loader has a thread, and so a profile, of its own: the larger one is the server's.
  print(profiles.reduce((a, b) => (a.nodes.length > b.nodes.length ? a : b)));
} finally {
  await rm(folder, { recursive: true, force: true });
}

function print({ nodes, samples, timeDeltas }: Profile): void {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const own = new Map<string, number>();
  const whole = new Map<string, number>();
  const add = (times: Map<string, number>, name: string, time: number) =>
    times.set(name, (times.get(name) ?? 0) + time);
  let total = 0;
  for (const [index, id] of samples.entries()) {
    const time = timeDeltas[index] ?? 0;
    const stack = new Set<string>();
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) stack.add(nameOf(byId.get(at)));
    const [top = ''] = stack;
    if (top.startsWith('(idle)')) continue;
    total += time;
    add(own, top, time);
    for (const name of stack) add(whole, name, time);
  }
  const percent = (time = 0) => `${((time / total) * 100).toFixed(1).padStart(5)} %`;
  const rows = [...whole].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
  process.stdout.write('  whole     own   function\n');
  for (const [name, time] of rows) process.stdout.write(`${percent(time)} ${percent(own.get(name))}   ${name}\n`);
}

function nameOf(node: Profile['nodes'][number] | undefined): string {
  if (node === undefined) return '(unknown)';
  const { functionName, url, lineNumber } = node.callFrame;
  return `${functionName || '(anonymous)'} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`;
}
