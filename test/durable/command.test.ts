import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { connect, connectOxp } from 'tiltyard/client';
import { expect, test } from 'vitest';
import { folderWith, type Run, run, untilPrinted } from '../support/command.ts';
import { keys, runInTerminal } from '../support/pty.ts';

const KEY = 'c3'.repeat(32);
const SECRET = 'hunter2-hunter2-hunter2';
const PATIENT = { attempts: 200, pauseMs: 50, maxPauseMs: 200 };

const MODULE = `
import { execFileSync } from 'node:child_process';
import { environment, step } from 'tiltyard';
import { z } from 'zod';

export default environment({
  name: 'counter',
  durability: 'replay',
  splits: { train: [{}] },
  setup: ({ secrets }) => ({ total: 0, secret: secrets.TOKEN }),
  prompt: () => 'Count.',
  tools: {
    add: {
      input: z.object({ n: z.int() }),
      run({ n }, { state }) {
        state.total += n;
        return step(String(state.total), { reward: n });
      },
    },
    quote: { run: (_, { state }) => 'It is ' + state.secret },
    fail: { run: (_, { state }) => { throw new Error('wrong: ' + state.secret) } },
    exit: { run: (_, { attempt }) => { if (attempt === 1) process.exit(3); return 'alive'; } },
    env: { effects: 'external', run: () => JSON.stringify(process.env) + execFileSync('env') },
  },
});
`;

interface Served extends Run {
  readonly url: string;
}

/** A folder with the module, and servers that come one after the other on its journal. */
async function lives(...more: readonly string[]) {
  const folder = await folderWith({ 'server.ts': MODULE });
  const start = async (port = '0', env: NodeJS.ProcessEnv = { TILTYARD_JOURNAL_KEY: KEY }): Promise<Served> => {
    const args = ['serve', 'server.ts', '--port', port, '--journal', 'journal', ...more];
    const server = run(args, env, folder);
    const [, url = ''] = await untilPrinted(server, /listening on (http:\S+)/);
    return { ...server, url };
  };
  return { folder, start };
}

async function kill({ child, exit }: Run): Promise<void> {
  child.kill('SIGKILL');
  await exit;
}

/** All that was written below a folder, as one text. */
function allIn(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith('server.ts'))
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}

test('J2, H3: with workers and a journal, an episode outlives its worker and its server', async () => {
  const { start } = await lives('--workers', '2');
  const first = await start();
  const client = connect(first.url, { apiKey: '', retry: PATIENT });
  const session = await client.session({ split: 'train', index: 0 });
  expect((await session.call('add', { n: 2 })).text).toBe('2');
  expect((await session.call('exit')).text).toBe('alive');
  expect((await session.call('add', { n: 3 })).text).toBe('5');
  await kill(first);
  const second = await start(new URL(first.url).port);
  expect(second.output()).toMatch(/Recovered 1 session from journal/);
  expect((await session.call('add', { n: 1 })).text).toBe('6');
  await session.close();
});

test.each([['0'], ['1']])(
  'J6: with %s workers, no secret is in the folder, in the log, or beside them',
  async (workers) => {
    const { folder, start } = await lives('--workers', workers, '--log-level', 'trace');
    const first = await start();
    const client = connect(first.url, { apiKey: '', retry: PATIENT });
    const session = await client.session({ split: 'train', index: 0, secrets: { TOKEN: SECRET } });
    expect((await session.call('quote')).text).toContain(SECRET);
    await session.call('fail').catch(() => {});
    if (workers !== '0') await session.call('exit');
    const { text } = await session.call('env');
    expect(text).toContain('PATH=');
    expect(text).not.toContain(KEY);
    await kill(first);
    const second = await start(new URL(first.url).port);
    expect((await session.call('add', { n: 1 })).text).toBe('1');
    await session.close();
    await kill(second);
    const printed = [allIn(folder), first.output(), second.output()].join('\n');
    expect(printed).not.toContain(SECRET);
    expect(printed).not.toContain(KEY);
    expect(printed).not.toContain('is ignored');
  },
);

test('a key that is none is told, without a word of it, and nothing is made', async () => {
  const folder = await folderWith({ 'server.ts': MODULE });
  const args = ['serve', 'server.ts', '--port', '0', '--journal', 'journal'];
  const refused = run(args, { TILTYARD_JOURNAL_KEY: 'no-such-key-at-all' }, folder);
  expect(await refused.exit).toBe(2);
  expect(refused.output()).toMatch(/TILTYARD_JOURNAL_KEY.*openssl rand -hex 32/);
  expect(refused.output()).not.toContain('no-such-key-at-all');
  expect(readdirSync(folder)).toEqual(['server.ts']);
});

const KEEPS = `
import { environment } from 'tiltyard';
const make = (name, more) => environment({ name, splits: { train: [{}] }, prompt: () => 'Go.', tools: { go: { run: () => 'gone' } }, ...more });
export const kept = make('kept', { durability: 'replay' });
`;

test.each([
  [
    'one environment',
    `export const a = make('a');`,
    [],
    "'a' keeps nothing in the journal: its episodes end with this server",
  ],
  [
    'several in workers',
    `export const a = make('a'); export const b = make('b'); export const c = make('c', { durability: 'none' });`,
    ['--workers', '1'],
    "'a', 'b' and 'c' keep nothing in the journal: their episodes end with this server",
  ],
])('serve --journal says of %s that nothing is kept, and what to do', async (_, more, options, words) => {
  const folder = await folderWith({ 'server.mjs': `${KEEPS}${more}` });
  const args = ['serve', 'server.mjs', '--port', '0', '--journal', 'journal', '--json', ...options];
  const server = run(args, {}, folder);
  await untilPrinted(server, /^\{.*\}$/m);
  const advice = "To keep them, declare durability: 'replay' or 'snapshot' (see docs/durability.md)";
  expect(server.output()).toContain(`tiltyard: ${words}. ${advice}\n`);
  expect(server.stdout()).not.toContain('nothing in the journal');
});

test('serve --journal says nothing of the kind where all is kept', async () => {
  const { start } = await lives();
  const server = await start();
  await untilPrinted(server, /Stop with Ctrl-C/);
  expect(server.output()).not.toContain('nothing in the journal');
});

const TOOLKIT = `
import { tool, toolkit } from 'tiltyard';
export const kit = toolkit({ name: 'Kit', tools: { Next: tool({ run: () => 1 }) } });
`;

test('a server of toolkits alone shows on a terminal that it reads its journal, and gives the cursor back', async () => {
  const folder = await folderWith({ 'server.ts': TOOLKIT });
  const start = async () => {
    const screen = runInTerminal(['serve', 'server.ts', '--port', '0', '--journal', 'journal'], {}, folder);
    const [, url = ''] = await screen.until(/listening on (http:\S+)/);
    return { screen, url };
  };
  const first = await start();
  await connectOxp(first.url, { apiKey: '' }).call('Kit.Next', {});
  first.screen.type(keys.interrupt);
  expect(await first.screen.exit).toBe(0);
  expect(first.screen.text()).not.toContain('Reading the journal');
  const { screen } = await start();
  expect(screen.text()).toContain('Reading the journal');
  expect(screen.raw().lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(screen.raw().lastIndexOf(HIDE_CURSOR));
  screen.type(keys.interrupt);
  expect(await screen.exit).toBe(0);
});

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
