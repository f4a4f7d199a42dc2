// The server that chaos befalls, in a process of its own: LEDGER, LIFE and PORT say where it writes, which one it is and
// where it listens.
import { createServer } from 'tiltyard/server';
import { announce } from '../../bench/servers/announce.ts';
import { Ledger } from './ledger.ts';
import { chaosEnvironment, chaosToolkit } from './world.ts';

const { LEDGER = 'ledger', LIFE = '1', PORT = '0' } = process.env;
const ledger = new Ledger(LEDGER, Number(LIFE));

const server = await createServer({
  environments: [chaosEnvironment(ledger)],
  toolkits: [chaosToolkit(ledger)],
  logger: { level: 'info' },
  announceAfterMs: 50,
  pingMs: 100,
  limits: {
    idleMs: 1_000,
    lingerMs: 800,
    drainMs: 300,
    graceMs: 200,
    closeMs: 200,
    teardownMs: 1_000,
    maxSessions: 300,
    tombstoneMs: 1_000,
    maxTombstones: 200,
  },
});

process.once('SIGTERM', async () => {
  await server.close();
  process.exit(0);
});

announce(Number(new URL(await server.listen({ port: Number(PORT) })).port));
