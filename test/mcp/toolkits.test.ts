import { tool, toolkit } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AUTH, KEYS, withKey } from '../server/credentials.ts';
import { eventually } from '../support/clock.ts';
import { Gate } from '../support/gates.ts';
import { linesOf, logLines } from '../support/log-lines.ts';
import { CLIENTS, connectMcp } from './clients.ts';
import { modernRpc, rpc, textOfResult } from './rpc.ts';
import { startMcp } from './server.ts';

const NEWEST = ['Calculator_Add', 'Calculator_Divide', 'Calculator_Say', 'Calculator_Audit', 'Calculator_Mail'];

function base64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

describe.each(CLIENTS)('a client of the SDK (%s)', (kind) => {
  test('M21, M24: lists the newest version of each tool, or all, and calls any', async () => {
    const { tools } = await startMcp();
    const client = await connectMcp(kind, tools);
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    const listed = (await client.listTools()).tools;
    expect(listed.map(({ name }) => name)).toEqual(NEWEST);
    expect(listed[0]).toMatchObject({ description: 'Add.', _meta: { 'tiltyard/tool_id': 'Calculator.Add@1.10.0' } });
    const all = await connectMcp(kind, `${tools}?versions=all`);
    const names = (await all.listTools()).tools.map(({ name }) => name);
    const versions = ['Calculator_Add_v1_10_0', 'Calculator_Add_v1_9_0', 'Calculator_Add_v1_0_0'];
    expect(names.slice(0, 4)).toEqual(['Calculator_Add', ...versions]);
    for (const name of ['Calculator_Add', ...versions])
      expect(textOfResult(await client.callTool({ name, arguments: { a: 1, b: 2 } }))).toBe('3');
  });

  test('M22: an output schema gives structured content and the same JSON as text; the legacy era wraps what is no object', async () => {
    const { tools } = await startMcp();
    const client = await connectMcp(kind, tools);
    const [add, divide] = (await client.listTools()).tools;
    const isModern = kind === 'v2, modern';
    expect(add.outputSchema).toMatchObject(isModern ? { type: 'number' } : { type: 'object', required: ['result'] });
    expect(divide.outputSchema).toMatchObject({ type: 'object', required: ['quotient'] });
    const sum = await client.callTool({ name: 'Calculator_Add', arguments: { a: 1, b: 2 } });
    expect(sum.structuredContent).toEqual(isModern ? 3 : { result: 3 });
    const half = await client.callTool({ name: 'Calculator_Divide', arguments: { a: 1, b: 2 } });
    expect(half).toMatchObject({ structuredContent: { quotient: 0.5 }, content: [{ text: '{"quotient":0.5}' }] });
    const said = await client.callTool({ name: 'Calculator_Say', arguments: { what: 'hello' } });
    expect(said.content).toEqual([{ type: 'text', text: 'hello' }]);
    expect(said.structuredContent).toBeUndefined();
    const wrong = await client.callTool({ name: 'Calculator_Divide', arguments: { a: 1, b: 0 } });
    expect(wrong.isError).toBe(true);
    expect(textOfResult(wrong)).toBe('cannot divide by zero\nChoose another divisor.');
    const bad = await client.callTool({ name: 'Calculator_Divide', arguments: { a: 'one', b: 2 } });
    expect(bad.isError).toBe(true);
    expect(textOfResult(bad)).toContain('a');
  });
});

test('M21: names that collide are refused at the start', async () => {
  const run = () => 1;
  const clash = toolkit({ name: 'Kit', tools: { Add: tool({ version: '1.0.0', run }), Add_v1_0_0: tool({ run }) } });
  const start = createServer({ toolkits: [clash], mcp: true, logger: false });
  await expect(start).rejects.toThrow('Kit.Add@1.0.0 and Kit.Add_v1_0_0@1.0.0 are both published over MCP as');
});

test('M21: a name that some agents cannot call is warned of', async () => {
  const log = logLines();
  const long = 'Tool'.repeat(12);
  await startMcp({
    toolkits: [toolkit({ name: 'Kit', tools: { [long]: tool({ run: () => 1 }) } })],
    logger: log.logger,
  });
  expect(linesOf(log, "a tool's name has more than 45 characters: some agents cannot call it over MCP")).toMatchObject([
    { tool: `Kit_${long}` },
  ]);
});

test('M23: scopes hide tools, as over OXP', async () => {
  const { tools } = await startMcp({ auth: AUTH });
  const names = async (key: string) =>
    (await rpc(tools, 'tools/list', {}, { headers: withKey(key) })).json.result.tools.map(({ name }: any) => name);
  expect(await names(KEYS.team)).toEqual(NEWEST);
  expect(await names(KEYS.teller)).toEqual(NEWEST);
  expect(await names(KEYS.agent)).not.toContain('Calculator_Audit');
  const call = { name: 'Calculator_Audit' };
  const refused = await rpc(tools, 'tools/call', call, { headers: withKey(KEYS.agent) });
  expect(refused.json.error).toMatchObject({ code: -32_602 });
  const told = await rpc(tools, 'tools/call', call, { headers: { authorization: `Bearer ${KEYS.teller}` } });
  expect(textOfResult(told.json.result)).toBe('all is well');
});

test('M23: secrets, the user and authorizations come from headers; what is missing is named, and arguments do not count', async () => {
  const { tools } = await startMcp();
  const call = { name: 'Calculator_Mail', arguments: { MAIL_KEY: 'forged', user_id: 'forged' } };
  const missing = await modernRpc(tools, 'tools/call', call);
  expect(missing.json.result.isError).toBe(true);
  const text = textOfResult(missing.json.result);
  for (const part of ['MAIL_KEY', 'mailbox', 'https://example.com/grant', 'user id']) expect(text).toContain(part);
  const headers = {
    'x-secrets': base64({ MAIL_KEY: { value: 'k-1' } }),
    'x-authorizations': base64({ mailbox: { value: 't-1' } }),
    'x-user-id': 'anna',
  };
  const sent = await rpc(tools, 'tools/call', call, { headers });
  expect(textOfResult(sent.json.result)).toBe('anna k-1 t-1');
  const broken = await rpc(tools, 'tools/list', {}, { headers: { 'x-authorizations': '{}' } });
  expect(broken.status).toBe(400);
  expect(broken.json.error.message).toContain('X-Authorizations');
});

test('M12: a cancellation aborts a tool outside of episodes, and its call is answered; only where callers are known by name', async () => {
  const gates = [new Gate(), new Gate()] as const;
  let aborted = 0;
  const slow = toolkit({
    name: 'Slow',
    tools: {
      Wait: tool({
        input: z.object({ gate: z.number() }),
        async run({ gate }, { signal }) {
          signal.addEventListener('abort', () => (aborted += 1));
          await gates[gate as 0 | 1].pass(signal);
          return 'waited';
        },
      }),
    },
  });
  const wait = (gate: number) => ({ name: 'Slow_Wait', arguments: { gate } });
  const known = await startMcp({ toolkits: [slow], auth: AUTH });
  const headers = withKey(KEYS.team);
  const first = rpc(known.tools, 'tools/call', wait(0), { id: 7, headers });
  await gates[0].reached;
  // Another identity has no call of that id.
  await rpc(known.tools, 'notifications/cancelled', { requestId: 7 }, { headers: withKey(KEYS.teller) });
  expect(aborted).toBe(0);
  await rpc(known.tools, 'notifications/cancelled', { requestId: 7 }, { headers });
  expect(textOfResult((await first).json.result)).toBe('the call was cancelled');
  await eventually(() => expect(aborted).toBe(1));
  const anonymous = await startMcp({ toolkits: [slow] });
  const second = rpc(anonymous.tools, 'tools/call', wait(1), { id: 7 });
  await gates[1].reached;
  await rpc(anonymous.tools, 'notifications/cancelled', { requestId: 7 });
  gates[1].open();
  expect(textOfResult((await second).json.result)).toBe('waited');
});

test('M14: a call of a toolkit runs at most once for an id of ours', async () => {
  let runs = 0;
  const counting = toolkit({ name: 'Kit', tools: { Count: tool({ run: () => ++runs }) } });
  const { tools } = await startMcp({ toolkits: [counting] });
  const call = { name: 'Kit_Count', _meta: { 'tiltyard/call_id': 'one' } };
  for (let time = 0; time < 3; time += 1)
    expect(textOfResult((await rpc(tools, 'tools/call', call)).json.result)).toBe('1');
  expect(runs).toBe(1);
});
