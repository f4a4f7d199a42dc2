import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { folderWith } from '../support/command.ts';
import { keys, runInTerminal } from '../support/pty.ts';

/** Takes connections, and says nothing. */
async function silentServer(): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each<[command: string, ...rest: string[]]>([
  ['tools'],
  ['call', 'add'],
  ['play'],
  ['run', '--policy', 'random', '--n', '1'],
  ['check'],
])('%s says that it waits for a server that does not answer', async (command, ...rest) => {
  const address = await silentServer();
  const screen = runInTerminal([command, address, ...rest], {}, await folderWith({}));
  await screen.until(/waiting for http:\/\/127\.0\.0\.1:\d+ to answer \(1 s\)/);
  screen.type(keys.interrupt);
  expect(await screen.exit).toBe(130);
});
