import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';

/** The files that a program has run, as Node itself counts them. */
async function filesRunBy(program: string, args: readonly string[] = []): Promise<string[]> {
  const folder = temporaryFolder('tiltyard-files-');
  const env = { ...process.env, NODE_V8_COVERAGE: folder };
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, ...args], { cwd: ROOT, env });
  return readdirSync(folder).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: readonly { url: string }[] };
    return result.map(({ url }) => url);
  });
}

const PLAY = `
  const { createServer } = await import('./dist/server/index.js');
  const { connect } = await import('./dist/client/index.js');
  const { environment } = await import('./dist/index.js');
  const plain = environment({
    name: 'plain', durability: 'replay', splits: { train: [{}] }, prompt: () => '', tools: { go: { run: () => 'gone' } },
  });
  const server = await createServer({ environments: [plain], ...JSON.parse(process.argv[1] ?? '{}') });
  const client = connect(await server.listen(), { apiKey: '' });
  const session = await client.session({ split: 'train', index: 0 });
  await session.call('go');
  await session.close();
  await server.close();
`;

const KEEPING =
  /dist\/(durable|journal|workers|server\/(durable\/server-journal|workers\/server-workers))|node_modules\/lmdb\//;

test('off means off: a server that keeps nothing loads nothing of journals, workers or lmdb', async () => {
  const files = await filesRunBy(PLAY);
  expect(files.filter((file) => file.includes('dist/sessions/'))).not.toEqual([]);
  expect(files.filter((file) => KEEPING.test(file))).toEqual([]);
});

test('and one that keeps episodes does, so the test above can tell', async () => {
  const folder = temporaryFolder('tiltyard-files-');
  const files = await filesRunBy(PLAY, [JSON.stringify({ journal: { folder: join(folder, 'journal') } })]);
  for (const part of ['dist/durable/', 'dist/journal/', 'node_modules/lmdb/'])
    expect(files.filter((file) => file.includes(part))).not.toEqual([]);
});

const MCP = /dist\/(mcp|server\/mcp)\/(?!option\.js)|node_modules\/(@modelcontextprotocol|zod)\//;

test('M25: a server that does not speak MCP loads nothing of it, and one that does nothing of the SDK before the first request', async () => {
  expect((await filesRunBy(PLAY)).filter((file) => MCP.test(file))).toEqual([]);
  const files = await filesRunBy(PLAY, [JSON.stringify({ mcp: true })]);
  expect(files.filter((file) => file.includes('dist/server/mcp/service.js'))).not.toEqual([]);
  expect(files.filter((file) => file.includes('node_modules/@modelcontextprotocol/'))).toEqual([]);
});

test.each([['--help'], ['serve', '--help'], ['journal', '--help']])('nor does the command: %s %s', async (...args) => {
  const program = `process.argv.splice(1, 0, 'tiltyard'); await import('./dist/cli/main.js');`;
  const files = await filesRunBy(program, ['--', ...args.filter((arg) => arg !== undefined)]);
  expect(files.filter((file) => file.includes('dist/cli/'))).not.toEqual([]);
  expect(files.filter((file) => KEEPING.test(file))).toEqual([]);
});
