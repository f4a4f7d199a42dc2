import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { RecordWriter } from 'tiltyard/records';
import { expect, onTestFinished, test } from 'vitest';
import { enterStudio } from '../studio/studio-client.ts';
import { tableOf } from '../studio/table.ts';
import { folderWith, run, untilPrinted } from '../support/command.ts';

const HELLO = `
import { environment, step } from 'tiltyard';
export const hello = environment({
  name: 'hello',
  splits: { train: [{ n: 1 }] },
  prompt: () => 'Say hi.',
  tools: { say: { run: () => step('hi', { reward: 1, finished: true }) } },
});`;

const ADDRESS = /(http:\/\/127\.0\.0\.1:\d+)\/#token=([\w-]+)/;

/** Enters a studio, and asks it something. */
async function ask(origin: string, token: string, path: string): Promise<any> {
  const headers = { 'content-type': 'application/json' };
  const entered = await fetch(`${origin}/api/enter`, { method: 'POST', headers, body: JSON.stringify({ token }) });
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  return (await fetch(origin + path, { headers: { cookie } })).json();
}

test('U2: the command opens a module, prints the address, and ends in good order', async () => {
  const folder = await folderWith({ 'hello.ts': HELLO });
  const command = run(['studio', 'hello.ts', '--port', '0', '--no-open'], {}, folder);
  const [, origin = '', token = ''] = await untilPrinted(command, ADDRESS);
  const [target] = await ask(origin, token, '/api/targets');
  expect(target).toMatchObject({ name: 'hello.ts', isModule: true });
  expect(await ask(origin, token, `/api/targets/${target.id}/environments`)).toEqual(['hello']);
  command.child.kill('SIGINT');
  expect(await command.exit).toBe(0);
});

const BROKEN = `
import { environment } from 'tiltyard';
export const broken = environment({
  name: 'broken',
  splits: { train: [{ isReady: true }, { isReady: false }] },
  setup: ({ task }) => task.isReady ? undefined : missing(),
  prompt: () => 'Try.',
  tools: { divide: { run: () => divide() } },
});
function divide(): string { throw new TypeError('no divisor'); }
function missing(): undefined { throw new Error('no data'); }`;

test.each(['studio', 'dev'])(
  'U2: %s shows of an exception the lines of the author, and all of them on request',
  async (name) => {
    const folder = await folderWith({ 'broken.ts': BROKEN });
    const command = run([name, 'broken.ts', '--port', '0', ...(name === 'studio' ? ['--no-open'] : [])], {}, folder);
    const [, origin = '', token = ''] = await untilPrinted(command, ADDRESS);
    const studio = await enterStudio(origin, token);
    const begin = async (index: number) => {
      const subject = { kind: 'episode', environment: 'broken', choice: { split: 'train', index } };
      const { id } = await studio.ask('POST /api/plays', {}, { body: { target: 't1', subject } });
      return tableOf(studio, id);
    };
    const table = await begin(0);
    await table.ready();
    const { problem: thrown } = await table.call('divide');
    const { problem: unset } = await (await begin(1)).ready();
    for (const [problem, first, place] of [
      [thrown, 'TypeError: no divisor', 'divide'],
      [unset, 'Error: no data', 'missing'],
    ] as const) {
      expect(problem?.kind).toBe('environment');
      const [heading, ...frames] = (problem?.message ?? '').split('\n');
      expect([heading, frames[0]]).toEqual([first, expect.stringContaining(`at ${place} (`)]);
      expect(frames.filter((frame) => !frame.includes('broken.ts'))).toEqual([]);
      expect(problem?.whole?.split('\n').length).toBeGreaterThan(frames.length + 1);
    }
  },
);

test('U5: folders of runs and reports are opened, as JSON on request, on the next port that is free', async () => {
  const folder = await folderWith({ 'bench.json': JSON.stringify({ unit: 'calls', servers: [] }) });
  await mkdir(join(folder, 'runs', 'one'), { recursive: true });
  await writeFile(join(folder, 'runs', 'one', 'run.json'), '{"v":99}');
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const command = run(['studio', 'runs', 'bench.json', '--port', String(port), '--json'], { CI: '1' }, folder);
  await untilPrinted(command, ADDRESS);
  const { url } = JSON.parse(command.stdout());
  const [, origin = '', token = ''] = ADDRESS.exec(url) ?? [];
  expect(Number(new URL(origin).port)).toBeGreaterThan(port);
  // Nothing is made up of one that cannot be read.
  const problem = expect.objectContaining({ code: 'unreadable' });
  const [id, path] = [expect.any(String), expect.stringMatching(/runs\/one$/)];
  expect(await ask(origin, token, '/api/runs')).toEqual([{ id, name: 'one', folder: path, problem }]);
  expect(await ask(origin, token, '/api/jobs')).toMatchObject([{ kind: 'bench', title: 'bench.json', status: 'done' }]);
});

test('the folder that serve --record writes is opened, though its records are one folder deeper', async () => {
  const folder = await folderWith({});
  using writer = RecordWriter.open(join(folder, 'data', 'records', '2026-11-18', 'hello-train-0.jsonl'));
  writer.append({ type: 'episode', by: 'server', environment: 'hello', split: 'train', index: 0 });
  const command = run(['studio', 'data/records', '--port', '0', '--no-open'], {}, folder);
  const [, origin = '', token = ''] = await untilPrinted(command, ADDRESS);
  expect(await ask(origin, token, '/api/records')).toMatchObject({
    total: 1,
    records: [{ name: 'hello-train-0.jsonl', environment: 'hello' }],
  });
});

test('what cannot be opened is refused with exit code 2, and says what can', async () => {
  const folder = await folderWith({ 'a.json': '[]' });
  await mkdir(join(folder, 'empty'));
  const refused = async (...args: string[]) => {
    const command = run(['studio', ...args], {}, folder);
    return [await command.exit, command.output()];
  };
  expect(await refused('nothing')).toEqual([2, expect.stringContaining('does not exist')]);
  expect(await refused('empty')).toEqual([2, expect.stringContaining('neither a run')]);
  expect(await refused('a.json')).toEqual([2, expect.stringContaining('neither a record')]);
  expect(await refused('export', 'empty', '--out', 'site')).toEqual([2, expect.stringMatching(/no run|not built/)]);
  expect(await refused('export', 'empty')).toEqual([2, expect.stringContaining('--out')]);
});

test('U4: dev starts the studio beside the server, with its events, unless told not to', async () => {
  const folder = await folderWith({ 'hello.ts': HELLO });
  const dev = run(['dev', 'hello.ts', '--port', '0', '--json'], { TILTYARD_API_KEYS: 'key-of-dev-12345' }, folder);
  const [, origin = '', token = ''] = await untilPrinted(dev, ADDRESS);
  const { exit } = dev;
  let targets: any[] = [];
  while (targets[0]?.status !== 'up') targets = await ask(origin, token, '/api/targets');
  expect(targets).toMatchObject([{ name: 'hello.ts', live: 'on', hasKey: true }]);
  expect(JSON.stringify(targets)).not.toContain('key-of-dev');
  dev.child.kill('SIGINT');
  expect(await exit).toBe(0);
  const without = run(['dev', 'hello.ts', '--port', '0', '--no-studio'], {}, folder);
  await untilPrinted(without, /Stop with Ctrl-C/);
  expect(without.output()).not.toContain('token=');
});

test('dev shows what people and programs ask of the server, and not what its studio asks by itself', async () => {
  const folder = await folderWith({ 'hello.ts': HELLO });
  const dev = run(['dev', 'hello.ts', '--port', '0'], {}, folder);
  const [, url = ''] = await untilPrinted(dev, /listening on (http:\/\/localhost:\d+)/);
  const [, origin = '', token = ''] = await untilPrinted(dev, ADDRESS);
  let targets: any[] = [];
  while (targets[0]?.status !== 'up') targets = await ask(origin, token, '/api/targets');
  await ask(origin, token, `/api/targets/${targets[0].id}/environments`);
  await fetch(`${url}/hello/splits`);
  await untilPrinted(dev, /GET {2}\/hello\/splits/);
  expect(dev.output()).not.toMatch(/GET {2}\/(list_environments|tools|hello\/tools)/);
  await fetch(`${url}/list_environments`);
  await untilPrinted(dev, /200 {2}GET {2}\/list_environments/);
});

test('serve --studio prints both addresses', async () => {
  const folder = await folderWith({ 'hello.ts': HELLO });
  const command = run(['serve', 'hello.ts', '--port', '0', '--studio'], {}, folder);
  await untilPrinted(command, ADDRESS);
  expect(command.output()).toMatch(/listening on http:\/\/localhost:\d+/);
  command.child.kill('SIGINT');
  expect(await command.exit).toBe(0);
});
