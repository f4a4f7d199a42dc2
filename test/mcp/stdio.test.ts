import { writeFile } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { image, type Toolkit, text, tool, toolkit } from 'tiltyard';
import { connectOxp } from 'tiltyard/client';
import { expect, onTestFinished, test } from 'vitest';
import { folderWith, MAIN, ROOT, run, untilPrinted } from '../support/command.ts';
import { agentMessages, OF_REWARDS } from './agent-messages.ts';
import { CLIENTS, type ClientKind, connectMcp, type TestClient } from './clients.ts';
import { PIXEL, REWARD } from './environments.ts';
import { ERAS, textOfResult } from './rpc.ts';
import { startMcp } from './server.ts';

const MODULE = `
  import { existsSync } from 'node:fs';
  import { environment, image, step, text, tool, ToolError, toolkit } from 'tiltyard';
  console.log('a line of the author');
  export const quiz = environment({
    name: 'quiz',
    splits: { train: [{ a: 6, b: 7 }, { a: 6, b: 8 }] },
    prompt: ({ task }) => \`What is \${task.a} times \${task.b}?\`,
    tools: {
      submit: {
        description: 'Submit.',
        annotations: { readOnlyHint: true },
        input: { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] },
        run({ answer }, { task }) {
          console.log('another line');
          return step(answer === task.a * task.b ? 'Right.' : 'Wrong.', { reward: 1, finished: true });
        },
      },
    },
    teardown: () => console.error('torn down'),
  });
  const pay = (blocks, finished = false) => step(blocks, { reward: ${REWARD}, finished, metadata: { paid: ${REWARD} } });
  export const paid = environment({
    name: 'paid',
    splits: { train: [{}] },
    prompt: () => 'Look, and submit 42.',
    tools: {
      look: {
        description: 'Look.',
        run: () => pay([text('A pixel.'), image(Buffer.from('${PIXEL}', 'base64'), 'image/png')]),
      },
      submit: {
        description: 'Submit.',
        input: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
        run: ({ answer }) => pay(answer === '42' ? 'Right.' : 'Wrong.', answer !== 'again'),
      },
      fail: {
        description: 'Fail.',
        run() {
          throw new ToolError('the door is locked', { promptContent: 'Find the key first.' });
        },
      },
      crash: {
        description: 'Crash.',
        run() {
          throw new Error('lost');
        },
      },
      hang: { description: 'Hang.', timeoutMs: 20, run: () => new Promise(() => {}) },
    },
  });
  export const slow = environment({
    name: 'slow',
    splits: { train: [{}] },
    async setup() {
      while (!existsSync(process.env.SLOW_SETUP)) await new Promise((resolve) => setTimeout(resolve, 20));
      return { isReady: true };
    },
    prompt: () => 'Be patient.',
    tools: { look: { description: 'Look.', run: () => 'Nothing.' } },
  });
  export const kit = toolkit({ name: 'Kit', tools: { Echo: tool({ description: 'Echo.', run: () => 'echo' }) } });
`;

// A busy machine takes a while to start several processes.
const PROCESSES_MS = 180_000;

interface Connected {
  readonly client: TestClient;
  readonly errors: () => string;
  /** Resolves when its standard error has ended, and so the program has. */
  readonly ended: Promise<void>;
}

async function connect(
  kind: ClientKind,
  args: readonly string[],
  more: Record<string, string> = {},
): Promise<Connected> {
  const env = process.env as Record<string, string>;
  const server = {
    command: process.execPath,
    args: [MAIN, 'mcp', ...args],
    cwd: ROOT,
    env: { ...env, ...more },
    stderr: 'pipe' as const,
  };
  const transport = kind === 'v1' ? new OldTransport(server) : new StdioClientTransport(server);
  let errors = '';
  transport.stderr?.on('data', (data) => {
    errors += data;
  });
  const ended = new Promise<void>((resolve) => transport.stderr?.on('end', resolve));
  const info = { name: 'test', version: '1.0.0' };
  const mode = kind === 'v2, legacy' ? 'legacy' : 'auto';
  const client = kind === 'v1' ? new OldClient(info) : new Client(info, { versionNegotiation: { mode } } as never);
  await client.connect(transport as never);
  onTestFinished(() => client.close());
  return { client: client as never, errors: () => errors, ended };
}

test.each(CLIENTS)(
  'M3: one episode over stdio (%s); the end of the input ends it, with teardown',
  async (kind) => {
    const folder = await folderWith({ 'quiz.ts': MODULE });
    const { client, errors, ended } = await connect(kind, [
      `${folder}/quiz.ts`,
      '-e',
      'quiz',
      '--index',
      '1',
      '--rewards',
    ]);
    expect(client.getInstructions()).toContain('What is 6 times 8?');
    const { messages } = await client.getPrompt({ name: 'task' });
    expect(messages[0].content.text).toBe('What is 6 times 8?');
    expect((await client.listTools()).tools).toMatchObject([
      { name: 'submit', annotations: { destructiveHint: false, readOnlyHint: true } },
    ]);
    const last = await client.callTool({ name: 'submit', arguments: { answer: 48 } });
    expect(textOfResult(last)).toContain('Right.\nThe episode has ended.');
    expect(last._meta).toMatchObject({ 'tiltyard/reward': 1, 'tiltyard/finished': true });
    expect(await client.callTool({ name: 'submit', arguments: { answer: 48 } })).toMatchObject({
      isError: true,
      _meta: { 'tiltyard/reward': null, 'tiltyard/finished': true },
    });
    await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32_602 });
    await client.close();
    await ended;
    expect(errors()).toContain('torn down');
    expect(errors()).toContain('another line');
    expect(errors()).toContain('the episode was finished after 1 call; reward 1');
  },
  PROCESSES_MS,
);

test(
  'M3: toolkits over stdio, of a module and of a server',
  async () => {
    const folder = await folderWith({ 'quiz.ts': MODULE });
    const { client } = await connect('v2, modern', [`${folder}/quiz.ts`, '--toolkits']);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['Kit_Echo']);
    expect(textOfResult(await client.callTool({ name: 'Kit_Echo' }))).toBe('echo');
    const { url } = await startMcp({ environments: [], mcp: false });
    const remote = await connect('v1', [url]);
    const sum = await remote.client.callTool({ name: 'Calculator_Add', arguments: { a: 1, b: 2 } });
    expect(sum).toMatchObject({ structuredContent: { result: 3 }, content: [{ text: '3' }] });
    const missing = await remote.client.callTool({ name: 'Calculator_Mail' });
    expect(missing.isError).toBe(true);
    expect(textOfResult(missing)).toContain('MAIL_KEY');
  },
  PROCESSES_MS,
);

const PICTURE = { type: 'image', data: PIXEL, mimeType: 'image/png' };

/** Calls a tool over stdio, and at the address of its server; gives what both returned. */
async function lookBothWays(look: Toolkit['tools'][string]): Promise<{ url: string; contents: unknown[] }> {
  const { url, tools } = await startMcp({
    environments: [],
    toolkits: [toolkit({ name: 'Album', tools: { Look: look } })],
  });
  const { client } = await connect('v2, modern', [url]);
  const clients = [client, await connectMcp('v2, modern', tools)];
  const contents = [];
  for (const each of clients) contents.push((await each.callTool({ name: 'Album_Look' })).content);
  return { url, contents };
}

test('M3: a picture that a tool returns is a picture over stdio, as at the address of its server', async () => {
  const run = () => [text('A pixel.'), image(Buffer.from(PIXEL, 'base64'), 'image/png')];
  const { contents } = await lookBothWays(tool({ description: 'Look.', run }));
  const shown = [{ type: 'text', text: 'A pixel.' }, PICTURE];
  expect(contents).toEqual([shown, shown]);
});

test('M3: a picture that stands alone is a picture as well; over OXP it is the value that the tool returned', async () => {
  const pixel = image(Buffer.from(PIXEL, 'base64'), 'image/png');
  const { url, contents } = await lookBothWays(tool({ description: 'Look.', maxOutputBytes: 10, run: () => pixel }));
  expect(contents).toEqual([[PICTURE], [PICTURE]]);
  expect((await connectOxp(url).call('Album.Look', {})).value).toEqual(pixel);
});

test('M3: an episode of any server, which need not speak MCP', async () => {
  const { url, trace } = await startMcp({ mcp: false });
  const { client, ended } = await connect('v2, legacy', [url, '-e', 'quiz']);
  expect(textOfResult(await client.callTool({ name: 'submit', arguments: { answer: '42' } }))).toContain('Right.');
  await client.close();
  await ended;
  expect(trace).toEqual(['submit 42', 'teardown']);
});

test.each(ERAS)(
  'M8: every byte on standard output is without the reward, unless it is asked for (%s era)',
  async (era) => {
    const folder = await folderWith({ 'quiz.ts': MODULE });
    const play = async (...options: string[]) => {
      const serving = run(['mcp', `${folder}/quiz.ts`, '-e', 'paid', ...options]);
      const { child, stdout, exit, output } = serving;
      // One after another, as an agent that reads each answer.
      for (const [at, { body }] of agentMessages(era).entries()) {
        child.stdin?.write(`${body}\n`);
        await untilPrinted(serving, new RegExp(`"id":${at}\\b`));
      }
      child.stdin?.end();
      expect(await exit).toBe(0);
      // Whoever runs it reads it when it is over; of the two looks with the same id, one has run (M14).
      expect(output()).toContain('reward 1.854');
      return stdout();
    };
    const seen = await play();
    for (const part of ['A pixel.', PIXEL, 'Wrong.', 'Right.', 'Find the key first.', 'episode has ended'])
      expect(seen).toContain(part);
    expect(seen).not.toMatch(OF_REWARDS);
    expect(await play('--rewards')).toContain(`"tiltyard/reward":${REWARD}`);
  },
  PROCESSES_MS,
);

test(
  'M4: over stdio, a client connects and lists tools while setup goes on; a call awaits it',
  async () => {
    const folder = await folderWith({ 'quiz.ts': MODULE });
    const SLOW_SETUP = `${folder}/ready`;
    const { client } = await connect('v2, legacy', [`${folder}/quiz.ts`, '-e', 'slow'], { SLOW_SETUP });
    expect(client.getInstructions()).toContain("prompt 'task'");
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['look']);
    const called = client.callTool({ name: 'look' });
    await writeFile(SLOW_SETUP, '');
    expect(textOfResult(await called)).toBe('Nothing.');
  },
  PROCESSES_MS,
);

test('M3: what cannot be served is refused with the exit code of a wrong use, and nothing on standard output', async () => {
  const { exit, output, stdout } = run(['mcp', 'examples/gsm8k/environment.ts', '--toolkits', '--split', 'test']);
  expect(await exit).toBe(2);
  expect(output()).toContain('--toolkits serves tools outside of episodes');
  expect(stdout()).toBe('');
});
