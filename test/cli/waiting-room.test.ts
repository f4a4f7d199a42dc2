import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { folderWith, run, untilPrinted } from '../support/command.ts';
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
