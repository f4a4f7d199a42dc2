import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { folderWith, MAIN, ROOT, run } from '../support/command.ts';
import { CLIENTS, type ClientKind, type TestClient } from './clients.ts';
import { textOfResult } from './rpc.ts';
import { startMcp } from './server.ts';

const MODULE = `
  import { environment, step, tool, toolkit } from 'tiltyard';
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
  export const kit = toolkit({ name: 'Kit', tools: { Echo: tool({ description: 'Echo.', run: () => 'echo' }) } });
`;

interface Connected {
  readonly client: TestClient;
  readonly errors: () => string;
  /** Resolves when its standard error has ended, and so the program has. */
  readonly ended: Promise<void>;
}

async function connect(kind: ClientKind, args: readonly string[]): Promise<Connected> {
  const server = { command: process.execPath, args: [MAIN, 'mcp', ...args], cwd: ROOT, stderr: 'pipe' as const };
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
    const { client, errors, ended } = await connect(kind, [`${folder}/quiz.ts`, '--split', 'train', '--index', '1']);
    expect(client.getInstructions()).toContain('What is 6 times 8?');
    const { messages } = await client.getPrompt({ name: 'task' });
    expect(messages[0].content.text).toBe('What is 6 times 8?');
    expect((await client.listTools()).tools).toMatchObject([
      { name: 'submit', annotations: { destructiveHint: false, readOnlyHint: true } },
    ]);
    const last = await client.callTool({ name: 'submit', arguments: { answer: 48 } });
    expect(textOfResult(last)).toContain('Right.\nThe episode has ended.');
    expect(last._meta).toMatchObject({ 'tiltyard/reward': 1, 'tiltyard/finished': true });
    expect(await client.callTool({ name: 'submit', arguments: { answer: 48 } })).toMatchObject({ isError: true });
    await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32_602 });
    await client.close();
    await ended;
    expect(errors()).toContain('torn down');
    expect(errors()).toContain('another line');
    expect(errors()).toContain('the episode was finished after 1 call; reward 1');
  },
  60_000,
);

test('M3: toolkits over stdio, of a module and of a server', async () => {
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
});

test('M3: an episode of any server, which need not speak MCP', async () => {
  const { url, trace } = await startMcp({ mcp: false });
  const { client, ended } = await connect('v2, legacy', [url, '-e', 'quiz']);
  expect(textOfResult(await client.callTool({ name: 'submit', arguments: { answer: '42' } }))).toContain('Right.');
  await client.close();
  await ended;
  expect(trace).toEqual(['submit 42', 'teardown']);
});

test('M3: what cannot be served is refused with the exit code of a wrong use, and nothing on standard output', async () => {
  const { exit, output, stdout } = run(['mcp', 'examples/gsm8k/environment.ts', '--toolkits', '--split', 'test']);
  expect(await exit).toBe(2);
  expect(output()).toContain('--toolkits serves tools outside of episodes');
  expect(stdout()).toBe('');
});
