// npm run bench:profile: which functions of this server a call spends its time in.
import type { Profiler } from 'node:inspector';
import { startChild } from './child.ts';
import { measure } from './load.ts';
import { addCalls, createEpisodes } from './requests.ts';

const CONNECTIONS = Number(process.env.CONNECTIONS ?? 64);
const DURATION_MS = Number(process.env.DURATION_MS ?? 6_000);
const SHOWN = Number(process.env.SHOWN ?? 40);

const WARM_UP_MS = 1_500;

using server = await startChild('tiltyard');
const next = addCalls(await createEpisodes(server.port, CONNECTIONS));
const load = { port: server.port, connections: CONNECTIONS, next };
await measure({ ...load, durationMs: WARM_UP_MS });
print(await server.profile(() => measure({ ...load, durationMs: DURATION_MS })));

function print({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): void {
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

function nameOf(node: Profiler.ProfileNode | undefined): string {
  if (node === undefined) return '(unknown)';
  const { functionName, url, lineNumber } = node.callFrame;
  return `${functionName || '(anonymous)'} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`;
}
