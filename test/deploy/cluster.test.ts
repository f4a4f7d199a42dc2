import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'tiltyard/client';
import { expect, test } from 'vitest';
import { findCurrentNats } from '../cluster/nats-programs.ts';
import { startNats } from '../cluster/nats-servers.ts';
import { type Node, PATIENCE, startNode, untilKnown } from '../cluster/nodes.ts';
import { freePort } from '../support/free-port.ts';
import { skipAloud } from '../support/needed.ts';
import { CLUSTER, findNginx, startNginx } from './nginx.ts';

const EPISODES = 12;
// As deploy/cluster.compose.yaml says.
const NOTICE_MS = 500;

const [nginx, nats] = [await findNginx(), await findCurrentNats()];
const missing = [nginx, nats].flatMap((found) => ('missing' in found ? [found.missing] : []));
if (missing.length > 0) skipAloud('a cluster behind nginx', missing.join(', '));

test.skipIf(missing.length > 0)(
  'N5: a rolling update of three nodes behind deploy/cluster.nginx.conf loses nothing, and no client notices',
  PATIENCE,
  async () => {
    await using servers = await startNats('path' in nats ? nats.path : '');
    const start = (port: number) => startNode(servers.url, { port, limits: { noticeMs: NOTICE_MS } });
    const ports = await Promise.all([freePort(), freePort(), freePort()]);
    const nodes = await Promise.all(ports.map(start));
    await untilKnown(nodes, 3);
    const urls = nodes.map(({ url }) => url);
    await using proxy = await startNginx('path' in nginx ? nginx.path : '', urls, CLUSTER);
    let isOver = false;
    const play = async () => {
      await using session = await connect(proxy.url, { environment: 'tally' }).session({ split: 'train', index: 0 });
      for (let calls = 1; !isOver || calls < 10; calls += 1) {
        expect((await session.call('add', { amount: 1 })).text).toBe(`total ${calls}`);
        await pause(20);
      }
    };
    const update = async () => {
      for (const [index, port] of ports.entries()) {
        const old = nodes[index] as Node;
        old.signal('SIGTERM');
        expect(await old.running.exit).toBe(0);
        nodes[index] = await start(port);
        await untilKnown(nodes, 3);
      }
      isOver = true;
    };
    await Promise.all([update(), ...Array.from({ length: EPISODES }, play)]);
  },
);
