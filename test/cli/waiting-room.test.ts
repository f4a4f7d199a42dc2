import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from 'tiltyard/server';
import { expect, onTestFinished, test } from 'vitest';
import { openWaitingRoom } from '../../src/cli/serve/waiting-room.ts';
import { folderWith, run, untilPrinted } from '../support/command.ts';
import { fixture } from '../support/fixture.ts';
import { freePort } from '../support/free-port.ts';

// Loading it waits until the test lets it.
const MODULE = `
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from 'tiltyard';

writeFileSync(new URL('loading', import.meta.url), '');
while (!existsSync(new URL('go', import.meta.url))) await sleep(10);
const tools = { look: { run: () => 'Here.' } };
export default environment({ name: 'late', splits: { train: [{ id: 1 }] }, prompt: () => 'Look.', tools });
`;

test('J2: a request that comes while a server with a journal starts is answered when it has started', async () => {
  const folder = await folderWith({ 'late.ts': MODULE });
  const port = await freePort();
  const running = run(['serve', join(folder, 'late.ts'), '--port', `${port}`, '--journal', join(folder, 'journal')]);
  while (!existsSync(join(folder, 'loading'))) await sleep(10);
  const answers = Array.from({ length: 20 }, () => fetch(`http://127.0.0.1:${port}/health`));
  const first = await Promise.race([...answers, sleep(300, 'none yet' as const)]);
  expect(first).toBe('none yet');
  writeFileSync(join(folder, 'go'), '');
  for (const answer of answers) expect((await answer).status).toBe(200);
  await untilPrinted(running, /listening on/);
  expect((await fetch(`http://127.0.0.1:${port}/list_environments`)).status).toBe(200);
});

test('a server with a journal that cannot start ends, also if somebody waits for it', async () => {
  const folder = await folderWith({ 'late.ts': MODULE.replace('{ look:', '{ look: 1, other:') });
  const port = await freePort();
  const running = run(['serve', join(folder, 'late.ts'), '--port', `${port}`, '--journal', join(folder, 'journal')]);
  while (!existsSync(join(folder, 'loading'))) await sleep(10);
  const refused = expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow('fetch failed');
  writeFileSync(join(folder, 'go'), '');
  expect(await running.exit).toBe(1);
  await refused;
});

test('J2: connections that came while loading blocked the process are answered, and not reset', async () => {
  const { environments } = fixture();
  const server = await createServer({ environments, logger: false });
  onTestFinished(() => server.close());
  const port = await freePort();
  const room = await openWaitingRoom('127.0.0.1', port);
  const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  // The system has connected them, and nobody has looked.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  await room?.close();
  await server.listen({ host: '127.0.0.1', port });
  room?.admit(server);
  for (const socket of sockets) {
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200/);
  }
});
