// npm run bench:profile: which functions of this server a call spends its time in.
import { mkdtempSync, rmSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NodeServer, startModule } from './child.ts';
import { type Measured, measure } from './load.ts';
import { addCalls, addCallsWithIds, createEpisodes, type Next, oxpCalls, oxpCallsWithIds } from './requests.ts';

const CONNECTIONS = Number(process.env.CONNECTIONS ?? 64);
const DURATION_MS = Number(process.env.DURATION_MS ?? 6_000);
const SHOWN = Number(process.env.SHOWN ?? 40);

const WARM_UP_MS = 2_500;

interface Kind {
  /** One of bench/servers. */
  readonly server: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly next: (server: NodeServer) => Promise<Next>;
}

const folder = mkdtempSync(join(tmpdir(), 'tiltyard-profile-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const episodes = async ({ port }: NodeServer) => addCalls(await createEpisodes(port, CONNECTIONS));
const episodesWithIds = async ({ port }: NodeServer) => addCallsWithIds(await createEpisodes(port, CONNECTIONS));

const KINDS: Record<string, Kind> = {
  ors: { server: 'tiltyard', next: episodes },
  'task-id': { server: 'tiltyard', next: episodesWithIds },
  oxp: { server: 'tiltyard', next: async () => oxpCalls() },
  'call-id': { server: 'tiltyard', next: async () => oxpCallsWithIds() },
  journal: { server: 'journal', env: { JOURNAL: join(folder, 'journal') }, next: episodesWithIds },
  recording: { server: 'recording', env: { RECORD: join(folder, 'records') }, next: episodesWithIds },
  workers: { server: 'workers', env: { WORKERS: '1' }, next: episodesWithIds },
};

const [kind = 'ors'] = process.argv.slice(2);
const chosen = KINDS[kind];
if (chosen === undefined) {
  process.stderr.write(`no calls '${kind}'. There are: ${Object.keys(KINDS).join(', ')}\n`);
  process.exit(2);
}

using server = await startModule(new URL(`./servers/${chosen.server}.ts`, import.meta.url), chosen);
const load = { server, connections: CONNECTIONS, next: await chosen.next(server) };
await measure({ ...load, durationMs: WARM_UP_MS });
const { cpuMicros } = await measure({ ...load, durationMs: WARM_UP_MS });
let profiled: Measured | undefined;
const profile = await server.profile(async () => {
  profiled = await measure({ ...load, durationMs: DURATION_MS });
});
process.stdout.write(`${kind}: ${cpuMicros.toFixed(1)} us of processor a call; under the profiler:\n`);
print(profile, profiled?.cpuMicros ?? 0);

/** Prints the functions with the most time of their own, in us a call; in brackets the time with all that they call. */
function print({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile, microsPerCall: number): void {
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
  const micros = (time = 0) => ((time / total) * microsPerCall).toFixed(2).padStart(6);
  const rows = [...own].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
  for (const [name, time] of rows) process.stdout.write(`${micros(time)} (${micros(whole.get(name))})   ${name}\n`);
}

function nameOf(node: Profiler.ProfileNode | undefined): string {
  if (node === undefined) return '(unknown)';
  const { functionName, url, lineNumber } = node.callFrame;
  return `${functionName || '(anonymous)'} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`;
}
