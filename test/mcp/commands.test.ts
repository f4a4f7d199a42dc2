import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { AUTH, KEYS } from '../server/credentials.ts';
import { runHere } from '../support/run-here.ts';
import { startMcp } from './server.ts';

test('tiltyard tools lists what is at an address of MCP', async () => {
  const { open, tools } = await startMcp();
  const { url } = await open();
  const episode = await runHere(['tools', url]);
  expect(episode.code, episode.output).toBe(0);
  expect(episode.stdout).toMatch(/^submit\n {2}Submit the answer\.\n {4}answer +string +required/m);
  const kit = await runHere(['tools', `${tools}?versions=all`, '--json']);
  const names = kit.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).name);
  expect(names).toContain('Calculator_Add_v1_0_0');
  expect((await runHere(['tools', url, '--split', 'train'])).code).toBe(2);
});

test('tiltyard call calls a tool there, and shows what an orchestrator may see', async () => {
  const { own, open, tools } = await startMcp();
  const paid = await runHere(['call', own('a'), 'submit', '--input', 'answer=again']);
  expect(paid.code, paid.output).toBe(0);
  expect(paid.stdout).toContain('Wrong.');
  expect(paid.stdout).toMatch(/^reward {2}0\.618033$/m);
  const agents = await runHere(['call', (await open()).url, 'submit', '{"answer":"42"}', '--json']);
  expect(JSON.parse(agents.stdout)).toMatchObject({ content: [{ text: 'Right.' }, {}], isError: false });
  expect(agents.stdout).not.toContain('618');
  const failed = await runHere(['call', tools, 'Calculator_Divide', '{"a":1,"b":0}']);
  expect(failed.code).toBe(1);
  expect(failed.output).toContain('cannot divide by zero');
  const unknown = await runHere(['call', tools, 'Calculator_Ad']);
  expect(unknown.code).toBe(1);
  expect(unknown.output).toContain('Calculator_Add');
});

test('both send the key as a bearer token, and say what to do without one', async () => {
  const { own } = await startMcp({ auth: AUTH });
  const without = await runHere(['tools', own('a')]);
  expect(without.code).toBe(1);
  expect(without.output).toContain('TILTYARD_API_KEY');
  expect((await runHere(['tools', own('a')], { TILTYARD_API_KEY: KEYS.team })).code).toBe(0);
});

test('tiltyard check finds that our addresses keep their promises', async () => {
  const { open, own, tools } = await startMcp();
  for (const address of [(await open()).url, own('a'), tools]) {
    const { code, stdout, output } = await runHere(['check', address, '--json', '--strict']);
    expect(code, output).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ passed: true });
    expect(stdout).toContain('"mcp"');
  }
  const guarded = await startMcp({ auth: AUTH });
  const { code, output } = await runHere(['check', guarded.own('a')], { TILTYARD_API_KEY: KEYS.team });
  expect(code, output).toBe(0);
});

test('and that those of a server which lists, and promises nothing more, do not', async () => {
  const server = createHttpServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { id, method } = text === '' ? { id: 0, method: '' } : JSON.parse(text);
    const result =
      method === 'tools/list' ? { tools: [{ name: 'a'.repeat(46), inputSchema: { type: 'object' } }] } : {};
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const { code, output } = await runHere(['check', url, '--strict']);
  expect(code).toBe(1);
  for (const id of ['M4', 'M5', 'M6', 'M10', 'M11', 'M16', 'M18', 'M21']) expect(output).toContain(`mcp/${id}`);
});
