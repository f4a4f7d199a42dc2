import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning } from '../../src/core/index.ts';
import { folderWith, type Run, run, untilPrinted } from '../support/command.ts';

// What commands do when the code of an author exits, leaves errors behind, loops or prints.
const BAD = `
import { environment, toolkit, tool } from 'tiltyard';
console.log('printed at import');
process.stdout.write('written at import\\n');
const tools = {
  exit: { run() { process.exit(0); } },
  stray: { run() { void Promise.reject(new Error('nobody awaits this')); return 'left'; } },
  loop: { run() { process.stderr.write('looping\\n'); for (;;); } },
  brief: { timeoutMs: 300, run() { for (;;); } },
};
const base = (name, chosen) => ({
  name,
  splits: { train: [{}, {}] },
  prompt: () => 'Go.',
  tools: Object.fromEntries(chosen.map((each) => [each, tools[each]])),
  teardown() { console.log('printed at teardown'); },
});
export const all = environment(base('all', Object.keys(tools)));
export const exits = environment(base('exits', ['exit']));
export const strays = environment(base('strays', ['stray']));
export const loops = environment(base('loops', ['loop']));
export const forgetful = environment({ ...base('forgetful', ['exit']), durability: 'replay' });
export const stuck = environment({ ...base('stuck', ['loop']), durability: 'replay' });
export const kit = toolkit({ name: 'Kit', tools: { Exit: tool({ run() { process.exit(0); } }) } });
`;

// A busy machine starts a process in seconds; a command that hears no signal never ends.
const SOON_MS = 15_000;

async function bad(): Promise<string> {
  return join(await folderWith({ 'bad.mjs': BAD }), 'bad.mjs');
}

async function endsSoon({ exit, output }: Run): Promise<number | null | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), SOON_MS);
  });
  const code = await Promise.race([exit, late]);
  clearTimeout(timer);
  if (code === 'late') throw new Error(`it did not end:\n${output()}`);
  return code;
}

test.each(['exit', 'Kit.Exit'])('a call of %s, which ends its process, fails and says so', async (name) => {
  const call = run(['call', await bad(), name, '--json']);
  expect(await call.exit).toBe(1);
  expect(JSON.parse(call.stdout())).toHaveProperty('error.message');
  expect(call.output()).toContain('the process that runs the module has ended, and is replaced: it exited with code 0');
});

test('a run whose tools end their process fails, and its folder is whole and free', async () => {
  const module = await bad();
  const out = join(module, '..', 'run');
  const args = ['run', module, '--environment', 'exits', '--policy', 'random', '--out', out, '--fail-under', '0.9'];
  const played = run([...args, '--json']);
  expect(await played.exit, played.output()).toBe(1);
  expect(JSON.parse(played.stdout()).episodes).toMatchObject({ owed: 2 });
  expect(existsSync(join(out, 'lock'))).toBe(false);
});

test('a check of tools that end their process fails, and writes its report', async () => {
  const module = await bad();
  const junit = join(module, '..', 'junit.xml');
  const check = run(['check', module, '--environment', 'exits', '--active', '--junit', junit]);
  expect(await check.exit, check.output()).toBe(1);
  expect(check.output()).toMatch(/'exit' ended its process: it exited with code 0\n +tiltyard call \S+ exit/);
  expect(check.output()).toContain('1 requirement is not met: env/process-end');
  expect(readFileSync(junit, 'utf8')).toContain('it exited with code 0');
});

test('the lint of an environment that promises to be built again survives that its tools exit', async () => {
  const check = run(['check', await bad(), '--environment', 'forgetful', '--active', '--strict', '--json']);
  expect(await check.exit, check.output()).toBe(1);
  expect(check.stdout()).toContain('it exited with code 0');
});

test('the lint of an environment that promises to be built again survives that its tools loop', async () => {
  const args = ['check', await bad(), '--environment', 'stuck', '--active', '--timeout', '1s', '--json'];
  const check = run([...args, '--samples', '1', '--strict']);
  expect(await check.exit, check.output()).toBe(1);
  expect(() => JSON.parse(check.stdout())).not.toThrow();
});

test('an error that nobody catches is told in one line, and the command goes on', async () => {
  const module = await bad();
  const call = run(['call', module, 'stray', '--json']);
  expect(await call.exit, call.output()).toBe(0);
  expect(JSON.parse(call.stdout()).blocks[0].text).toBe('left');
  const told = call
    .output()
    .split('\n')
    .filter((line) => line.includes('nobody awaits this'));
  expect(told).toEqual([expect.stringMatching(/^tiltyard: a promise was rejected where nobody catches it/)]);
});

test('errors that nobody catches are told once for each message, and a run goes on', async () => {
  const module = await bad();
  const out = join(module, '..', 'run');
  const args = ['run', module, '--environment', 'strays', '--policy', 'random', '--max-turns', '3', '--out', out];
  const played = run([...args, '--json']);
  await played.exit;
  expect(played.output().match(/nobody awaits this/g), played.output()).toHaveLength(1);
  expect(JSON.parse(played.stdout()).episodes).toMatchObject({ owed: 0 });
});

test('the lint finds errors that nobody catches', async () => {
  const check = run(['check', await bad(), '--environment', 'strays', '--active', '--json']);
  expect(await check.exit, check.output()).toBe(1);
  expect(check.output()).toContain('not met: env/stray-error');
});

test.each(['SIGINT', 'SIGTERM'] as const)('a call of a tool that loops ends at %s', async (signal) => {
  const call = run(['call', await bad(), 'loop']);
  await untilPrinted(call, /looping/);
  call.child.kill(signal);
  expect(await endsSoon(call)).toBe(130);
});

test('a bench of a tool that loops ends at the first Ctrl-C', async () => {
  const bench = run(['bench', await bad(), '--environment', 'loops', '--tool', 'loop', '--input', '{}']);
  await untilPrinted(bench, /looping/);
  bench.child.kill('SIGINT');
  expect(await endsSoon(bench)).toBe(130);
});

test.each([['call', 'any'], ['bench']])(
  '%s gives up a module that loops when it is loaded at the first Ctrl-C',
  async (command, ...args) => {
    const folder = await folderWith({ 'loop.mjs': "process.stderr.write('looping\\n'); for (;;);" });
    const call = run([command as string, join(folder, 'loop.mjs'), ...args]);
    await untilPrinted(call, /looping/);
    call.child.kill('SIGINT');
    expect(await endsSoon(call)).toBe(130);
    expect(call.output()).toMatch(/tiltyard: interrupted\n$/);
  },
);

test('a module that loops does not outlive a bench that is killed', async () => {
  const folder = await folderWith({
    'loop.mjs': "process.stderr.write('looping in ' + process.pid + '\\n'); for (;;);",
  });
  const bench = run(['bench', join(folder, 'loop.mjs')]);
  await untilPrinted(bench, /looping in \d+\n/);
  const pid = Number(/looping in (\d+)/.exec(bench.output())?.[1]);
  onTestFinished(() => void (isRunning(pid) && process.kill(pid, 'SIGKILL')));
  bench.child.kill('SIGKILL');
  await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
});

test('a tool that loops is ended after its time', async () => {
  const call = run(['call', await bad(), 'brief', '--json']);
  expect(await endsSoon(call)).toBe(1);
  expect(JSON.parse(call.stdout()).error.message).toContain("'brief' blocked it for longer than 300 ms");
});

test('a run gives up episodes whose tool loops after --timeout', async () => {
  const module = await bad();
  const out = join(module, '..', 'run');
  const args = ['run', module, '--environment', 'loops', '--policy', 'random', '--timeout', '1s', '--n', '1'];
  const played = run([...args, '--out', out, '--json']);
  await played.exit;
  expect(JSON.parse(played.stdout()).episodes, played.output()).toMatchObject({ planned: 1 });
  expect(existsSync(join(out, 'lock'))).toBe(false);
});

test.each([
  ['call', 'stray'],
  ['tools', '--environment', 'strays', '--index', '0'],
  ['tasks'],
  ['check', '--only', 'ors/D'],
])('%s --json prints nothing but JSON, whatever the code of the module prints', async (command, ...args) => {
  const printed = run([command as string, await bad(), ...args, '--json']);
  expect(await printed.exit, printed.output()).toBe(0);
  for (const line of printed.stdout().trimEnd().split('\n')) expect(() => JSON.parse(line), line).not.toThrow();
  expect(printed.output()).toContain('written at import');
});

test('an agent that ends the process of its run does not pass for success', async () => {
  const folder = await folderWith({
    'quiet.mjs': BAD,
    'agent.mjs': "console.log('loaded'); export const agent = () => process.exit(0);",
  });
  const args = ['run', join(folder, 'quiet.mjs'), '--environment', 'strays', '--agent', join(folder, 'agent.mjs')];
  const played = run([...args, '--out', join(folder, 'run'), '--json']);
  expect(await played.exit, played.output()).toBe(1);
  expect(played.stdout()).toBe('');
  expect(played.output()).toContain('tiltyard: the process was ended by code that it had loaded');
});

test('an error that nobody catches in an agent is told in one line, and the run goes on', async () => {
  const folder = await folderWith({
    'quiet.mjs': BAD,
    'agent.mjs': `export const agent = async ({ call }) => {
      void Promise.reject(new Error('left by the agent'));
      await call('stray', {});
    };`,
  });
  const args = ['run', join(folder, 'quiet.mjs'), '--environment', 'strays', '--agent', join(folder, 'agent.mjs')];
  const played = run([...args, '--out', join(folder, 'run'), '--json']);
  await played.exit;
  expect(played.output().match(/left by the agent/g), played.output()).toHaveLength(1);
  expect(JSON.parse(played.stdout()).episodes, played.output()).toMatchObject({ owed: 0 });
});

test('with a debugger, the module is loaded where the debugger is', async () => {
  const folder = await folderWith({
    'where.mjs': `
      import { environment } from 'tiltyard';
      import inspector from 'node:inspector';
      export const where = environment({
        name: 'where',
        splits: { train: [{}] },
        prompt: () => '',
        tools: { look: { run: () => String(inspector.url() !== undefined) } },
      });`,
  });
  const call = run(['call', join(folder, 'where.mjs'), 'look', '--json'], { NODE_OPTIONS: '--inspect=127.0.0.1:0' });
  expect(await call.exit, call.output()).toBe(0);
  expect(JSON.parse(call.stdout()).blocks[0].text).toBe('true');
});
