import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'vitest';
import { environment } from '../core/index.ts';
import { createServer } from './index.ts';

test('a connection on which nothing has come yet does not hold up a stopping server', async () => {
  const environments = [
    environment({ name: 'e', splits: { train: [{}] }, prompt: () => '', tools: { t: { run() {} } } }),
  ];
  // If it did, it would for longer than a test may take.
  const server = await createServer({ environments, logger: false, limits: { closeMs: 60_000 } });
  const { port } = new URL(await server.listen());
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  const accepted = once(server.app.server, 'connection');
  connect(Number(port), '127.0.0.1').on('error', () => {});
  await accepted;
  await server.close();
});
