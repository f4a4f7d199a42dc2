// The server whose episodes outlive it, in a process of its own: JOURNAL says where they are kept, WORKERS how many processes run them
// (0: its own), PORT where it listens.
import { createServer, type ServerOptions } from 'tiltyard/server';
import { announce } from '../../bench/servers/announce.ts';

const { JOURNAL = 'journal', WORKERS = '0', PORT = '0' } = process.env;

// Where failpoints are walked through, without workers, ends are forgotten soon: that is a step as well.
const TOMBSTONE_MS = WORKERS === '0' ? 20_000 : 120_000;

// Longer than the longest tool, which heeds no signal: one that is run again when its session is deleted shall be over before teardown.
const GRACE_MS = 500;

const server = await createServer({
  ...(await code()),
  journal: { folder: JOURNAL },
  logger: { level: 'info' },
  announceAfterMs: 50,
  pingMs: 100,
  limits: {
    idleMs: 30_000,
    drainMs: 300,
    graceMs: GRACE_MS,
    closeMs: 200,
    teardownMs: 1_000,
    tombstoneMs: TOMBSTONE_MS,
  },
});

process.once('SIGTERM', async () => {
  await server.close();
  process.exit(0);
});

announce(Number(new URL(await server.listen({ port: Number(PORT) })).port));

async function code(): Promise<Pick<ServerOptions, 'environments' | 'toolkits' | 'workers'>> {
  const module = new URL('./world.ts', import.meta.url);
  if (WORKERS !== '0') return { workers: { modules: [module], count: Number(WORKERS) } };
  const { replayed, saved, plain, drifting, kit } = await import('./world.ts');
  return { environments: [replayed, saved, plain, drifting], toolkits: [kit] };
}
