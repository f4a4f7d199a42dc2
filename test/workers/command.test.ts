import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'tiltyard/client';
import { expect, test } from 'vitest';
import { eventually } from '../support/client.ts';
import { folderWith, type Run, run, untilPrinted } from '../support/command.ts';
import { isAlive, MODULE, pidOf } from './serve.ts';

/** `tiltyard serve --workers 2`, and where it listens. */
async function serve(module: string, ...args: string[]): Promise<Run & { readonly url: string }> {
  const server = run(['serve', module, '--workers', '2', '--port', '0', '--json', ...args]);
  const [, url = ''] = await untilPrinted(server, /"url":"([^"]+)"/);
  return { ...server, url };
}

async function sessionsOn(url: string) {
  const client = connect(url, { apiKey: '' });
  return Promise.all([0, 1].map(() => client.session({ split: 'train', index: 0 })));
}

test('H1: the command tells what workers serve, and the modules are loaded only there', async () => {
  const folder = await folderWith({
    'once.ts': `
      import { appendFileSync } from 'node:fs';
      import { environment, toolkit } from 'tiltyard';
      appendFileSync(import.meta.dirname + '/loads', process.pid + '\\n');
      export const once = environment({ name: 'Once', splits: { train: [{}] }, prompt: () => '', tools: { go: { run: () => '' } } });
      export const kit = toolkit({ name: 'Kit', tools: { Go: { description: 'Goes.', run: () => 1 } } });
    `,
  });
  const { stdout, child } = await serve(`${folder}/once.ts`);
  expect(JSON.parse(stdout())).toMatchObject({
    environments: [{ name: 'once', splits: ['train'], tools: ['go'] }],
    toolkits: [{ name: 'Kit', tools: ['Kit.Go'] }],
  });
  const pids = readFileSync(`${folder}/loads`, 'utf8').trim().split('\n');
  expect(pids).toHaveLength(2);
  expect(pids).not.toContain(String(child.pid));
});

test('H1: a mistake in a module is shown with its place, as without workers', async () => {
  const folder = await folderWith({ 'bad.ts': 'export const one = 1;\nnothing.here();\n' });
  const { exit, output } = run(['serve', `${folder}/bad.ts`, '--workers', '2', '--port', '0']);
  expect(await exit).toBe(1);
  expect(output()).toMatch(/bad\.ts could not be loaded/);
  expect(output()).toMatch(/bad\.ts:2:1 {2}ReferenceError: nothing is not defined/);
  const missing = run(['serve', `${folder}/not-there.ts`, '--workers', '2']);
  expect(await missing.exit).toBe(1);
  expect(missing.output()).toMatch(/file not found/);
});

test('H6: the log names the tool that blocks a worker', async () => {
  const server = await serve(MODULE, '--limit', 'maxBlockMs=300');
  const [stuck] = await sessionsOn(server.url);
  void stuck?.call('loop').catch(() => {});
  await untilPrinted(server, /"tool":"loop".*has been blocked/);
});

test('H7: no worker survives its server, however that ends and whatever they do', async () => {
  const server = await serve(MODULE);
  const sessions = await sessionsOn(server.url);
  const pids = await Promise.all(sessions.map(pidOf));
  expect(new Set(pids).size).toBe(2);
  void sessions[0]?.call('loop').catch(() => {});
  void sessions[1]?.call('wait').catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 200));
  server.child.kill('SIGKILL');
  await eventually(() => expect(pids.map(isAlive)).toEqual([false, false]));
});

test('H7: a signal to the whole group ends the server in good order, with its teardowns', async () => {
  const server = await serve(MODULE, '--limit', 'drainMs=0');
  const folder = await folderWith({});
  const session = await connect(server.url, { apiKey: '' }).session({ task: { trace: `${folder}/trace` } });
  const pid = await pidOf(session);
  process.kill(pid, 'SIGTERM');
  process.kill(pid, 'SIGINT');
  server.child.kill('SIGTERM');
  expect(await server.exit).toBe(0);
  expect(existsSync(`${folder}/trace`)).toBe(true);
  expect(isAlive(pid)).toBe(false);
});
