import { createServer } from 'tiltyard/server';
import { expect, onTestFinished, test } from 'vitest';
import { minimal } from '../support/minimal.ts';

test('a process with many servers, as tests have them, is not said to leak', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const create = () => createServer({ environments: [minimal()], logger: { level: 'fatal' } });
  const servers = await Promise.all(Array.from({ length: 12 }, create));
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.close()))));
  for (const { app } of servers) await app.ready();
  // Node says so in the next turn.
  await new Promise(setImmediate);
  expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([]);
});
