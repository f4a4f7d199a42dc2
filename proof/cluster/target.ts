// A node of a cluster whose episodes outlive it, in a process of its own: NATS says where their journal is, NODE its name, PORT where it
// listens.
import { createServer } from 'tiltyard/server';
import { announce } from '../../bench/servers/announce.ts';
import { drifting, plain, replayed, saved } from '../durable/world.ts';

const { NATS = 'nats://127.0.0.1:4222', NODE = 'node', PORT = '0' } = process.env;

// The client of openreward sends a secret with each session, and without a key nothing of those would be kept.
const KEY = 'a5'.repeat(32);

const server = await createServer({
  environments: [replayed, saved, plain, drifting],
  cluster: { nats: NATS, nodeName: NODE, keys: [KEY] },
  logger: { level: 'info' },
  announceAfterMs: 50,
  pingMs: 100,
  limits: { idleMs: 60_000, noticeMs: 0, drainMs: 1_000, graceMs: 200, closeMs: 200, teardownMs: 1_000 },
});

process.once('SIGTERM', async () => {
  await server.close();
  process.exit(0);
});

announce(Number(new URL(await server.listen({ port: Number(PORT) })).port));
