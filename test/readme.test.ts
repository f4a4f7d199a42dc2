import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { play } from 'tiltyard/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { gridworld } from '../examples/gridworld/environment.ts';
import { gsm8k } from '../examples/gsm8k/environment.ts';
import { hello } from '../examples/hello/environment.ts';
import { folderWith } from './support/command.ts';
import { temporaryFolder } from './support/folder.ts';
import { keys, runInTerminal } from './support/pty.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
const curlPage = await readFile(join(ROOT, 'docs/curl.md'), 'utf8');

function blocks(language: string, document = readme): string[] {
  return [...document.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, code]) => code ?? '');
}

interface Command {
  text: string;
  expected: string[];
}

/** The commands of a shell block, each with the lines that the page says it prints. */
function commandsOf(block: string): Command[] {
  const commands: Command[] = [];
  let continued = false;
  for (const line of block.split('\n')) {
    const last = commands.at(-1);
    if (line.startsWith('# => ')) last?.expected.push(line.slice('# => '.length));
    else if (continued && last !== undefined) last.text += `\n${line}`;
    else if (line !== '' && !line.startsWith('#')) commands.push({ text: line, expected: [] });
    continued = line.endsWith('\\');
  }
  return commands;
}

async function bash(script: string): Promise<string> {
  const child = spawn('bash', ['-c', script]);
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  await once(child, 'close');
  return output;
}

test('the episode with curl prints what its page says', async () => {
  await using server = await createServer({ environments: [gsm8k, hello, gridworld], logger: false });
  const url = await server.listen();
  const block = blocks('sh', curlPage).find((code) => code.includes('create_session')) ?? '';
  const commands = commandsOf(block);
  expect(commands.length).toBeGreaterThan(9);
  const separator = '\x1e';
  const script = commands.map(({ text }) => `${text}\nprintf '${separator}'`).join('\n');
  const outputs = (await bash(script.replaceAll('http://localhost:8080', url))).split(separator);
  for (const [index, { text, expected }] of commands.entries()) {
    expect(outputs[index]?.trim(), text).toBe(expected.join('\n'));
  }
});

test('npm start serves the environments that the page about curl lists, in that order', async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } };
  const served = [...scripts.start.matchAll(/examples\/(\w+)\//g)].map(([, name]) => name);
  // Whoever reaches the server has a shell on this machine through that one.
  expect(served).not.toContain('sandbox');
  expect(curlPage).toContain(`# => ${JSON.stringify(served)}`);
  expect(readme).toContain(
    `serves ${['no', 'one', 'two', 'three', 'four', 'five'][served.length]} example environments`,
  );
});

test('the environment of the README plays as written', async () => {
  const [source = ''] = blocks('ts');
  const folder = temporaryFolder('.tmp-readme-', ROOT);
  await writeFile(join(folder, 'capitals.ts'), source);
  const { capitals } = (await import(join(folder, 'capitals.ts'))) as { capitals: Environment<any, any, any, any> };
  expect(source.trim().split('\n')).toHaveLength(15);
  await using episode = await play(capitals, { split: 'train', index: 1 });
  expect((await episode.prompt())[0]).toMatchObject({ text: 'What is the capital of Japan?' });
  expect(await episode.call('submit', { answer: 'Tokyo' })).toMatchObject({ reward: 1, finished: true });
});

test('a game of that environment looks as the README shows it', async () => {
  const folder = await folderWith({ 'capitals.ts': blocks('ts')[0] ?? '' });
  const [command = '', ...shown] = blocks('console')[0]?.trim().split('\n') ?? [];
  const args = command.replace('$ npx tiltyard ', '').split(' ');
  expect(args[0]).toBe('play');
  const screen = runInTerminal(args, { TMUX: '' }, folder);
  const { type, until } = screen;
  for (const [index, line] of shown.entries()) {
    if (line === '◇  What do you do?') {
      await until(/What do you do\?[\s\S]*confirm/);
      type(keys.enter);
    } else if (line.startsWith('◇  ')) {
      await until(literal(line.replace('◇  ', '')));
      type(`${shown[index + 1]}${keys.enter}`);
    } else await until(literal(line));
  }
  expect(await screen.exit).toBe(0);
});

function literal(text: string): RegExp {
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
}

/** Runs code of the README as a module of its own, after `adapt`, and returns what it prints. */
async function runBlock(marker: string, adapt: (code: string) => string): Promise<unknown[][]> {
  const code = blocks('ts').find((block) => block.includes(marker)) ?? '';
  const folder = temporaryFolder('.tmp-readme-', ROOT);
  await writeFile(join(folder, 'capitals.ts'), blocks('ts')[0] ?? '');
  await writeFile(join(folder, 'block.ts'), adapt(code));
  const print = vi.spyOn(console, 'log').mockImplementation(() => {});
  onTestFinished(() => print.mockRestore());
  await import(join(folder, 'block.ts'));
  return print.mock.calls;
}

test('the client of the README plays the episode that the README says', async () => {
  await using server = await createServer({ environments: [hello], logger: false });
  const url = await server.listen();
  const printed = await runBlock('tiltyard/client', (code) => code.replace('http://localhost:8080', url));
  expect(printed).toEqual([['How kind!', 1, true]]);
});

test('the program of the README serves until it is closed', async () => {
  const printed = await runBlock('createServer', (code) =>
    code.replace('port: 8080', 'port: 0').concat('globalThis.readmeServer = server;\n'),
  );
  const { readmeServer } = globalThis as unknown as { readmeServer: Awaited<ReturnType<typeof createServer>> };
  onTestFinished(() => readmeServer.close());
  const answer = await fetch(`${printed[0]?.[0]}/list_environments`);
  expect(await answer.json()).toEqual(['capitals']);
});
