import { image, step, type Tool, ToolError, text, tool } from 'tiltyard';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type CallAnswer, shareServer, startServer } from '../support/http.ts';
import { logLines } from '../support/log-lines.ts';
import { minimal } from '../support/minimal.ts';

const server = shareServer();

/** Calls a tool of the fixture in a new session. */
async function callTool(name: string, input: object = {}): Promise<CallAnswer> {
  return server().call(await server().create(), name, input);
}

/** Checks that a call ended with an `error` event and nothing else. */
function expectErrorEvent({ status, events }: CallAnswer, message: string | RegExp): void {
  expect(status).toBe(200);
  expect(events).toEqual([
    { event: 'task_id', data: expect.stringMatching(/^[0-9a-f]{32}$/) },
    { event: 'error', data: expect.stringMatching(message) },
  ]);
}

/** Calls the tool `look` of an environment of its own, and then `after` in the same session. */
async function callLook(look: Tool<any, any>) {
  const lines = logLines();
  const tools = { look, after: { run: () => 'still here' } };
  const { create, call } = await startServer({ environments: [minimal({ tools })], logger: lines.logger });
  const sid = await create();
  const answer = await call(sid, 'look', {}, { env: 'minimal' });
  const after = await call(sid, 'after', {}, { env: 'minimal' });
  return { answer, log: lines.text(), after: after.result?.output?.blocks[0].text };
}

const returns = (value: unknown) => ({ run: () => value as object });
const emptyText = { text: '', detail: null, type: 'text' };

test('C3: a result has its four keys even if the tool set none of them', async () => {
  const { events } = await callTool('noargs');
  expect(events.map(({ event }) => event)).toEqual(['task_id', 'end']);
  expect(JSON.parse(events[1]?.data ?? '')).toEqual({
    ok: true,
    output: {
      blocks: [{ text: 'nothing needed', detail: null, type: 'text' }],
      metadata: null,
      reward: null,
      finished: false,
    },
  });
});

test('C3: a result carries the reward, the metadata and the details that the tool set', async () => {
  expect((await callTool('details')).result).toEqual({
    ok: true,
    output: {
      blocks: [
        { text: 'a', detail: { k: 1 }, type: 'text' },
        { data: 'aGk=', mimeType: 'image/png', detail: { w: 2 }, type: 'image' },
      ],
      metadata: { m: [1, null] },
      reward: 0.5,
      finished: false,
    },
  });
  expect((await callTool('submit', { answer: '0' })).result?.output).toMatchObject({ reward: 1, finished: true });
  expect((await callTool('submit', { answer: 'x' })).result?.output).toMatchObject({ reward: 0, finished: true });
});

test('C4: a reported failure has an error and no output', async () => {
  const { events, result } = await callTool('fail');
  expect(events.map(({ event }) => event)).toEqual(['task_id', 'end']);
  expect(result).toEqual({ ok: false, error: expect.any(String), reason: 'tool_error' });
});

test.each([
  ['noargs', true],
  ['details', true],
  ['empty', true],
  ['fail', false],
  ['nope', false],
])('C5: ok alone tells whether %s gave an output or an error', async (name, ok) => {
  const { create, call } = server();
  const { result } = await call(await create(), name, {}, { headers: { 'user-agent': 'ors-sdk/0.1.0' } });
  expect(result?.ok).toBe(ok);
  expect('output' in (result ?? {})).toBe(ok);
  expect('error' in (result ?? {})).toBe(!ok);
});

test('C19: a tool that throws gives an error event with the message, and the session goes on', async () => {
  const { create, call } = server();
  const sid = await create();
  expectErrorEvent(await call(sid, 'boom', { message: 'no such file' }), /^Error: no such file$/);
  expect((await call(sid, 'noargs')).result?.ok).toBe(true);
});

test.each<[what: string, thrown: unknown, message: RegExp]>([
  ['an error of another class', new RangeError('too far'), /^RangeError: too far$/],
  ['text', 'just text', /just text/],
])('C19: a tool may throw %s, at once or later', async (_what, thrown, message) => {
  const throwing = () => {
    throw thrown;
  };
  for (const run of [throwing, async () => throwing()]) {
    const { answer, after } = await callLook({ run });
    expectErrorEvent(answer, message);
    expect(after).toBe('still here');
  }
});

test('C19: returnErrors hides what a tool threw', async () => {
  const { create, call } = await startServer({ returnErrors: 'none' });
  expectErrorEvent(await call(await create(), 'boom', { message: 'private' }), /^Internal Server Error$/);
});

test('C20: a ToolError is a result for the model to read, and the session goes on', async () => {
  const { create, call } = server();
  const sid = await create();
  for (let time = 0; time < 2; time += 1) {
    const { result } = await call(sid, 'fail');
    expect(result).toMatchObject({ ok: false, error: "Tool 'fail' failed: the file is not there" });
  }
  expect((await call(sid, 'noargs')).result?.ok).toBe(true);
});

class MissingFile extends ToolError {}

test.each<[what: string, thrown: ToolError]>([
  ['with a message for developers', new ToolError('not there', { developerMessage: 'ENOENT', canRetry: true })],
  ['of a class of its own', new MissingFile('not there')],
])('C20: a ToolError %s shows the model its message only', async (_what, thrown) => {
  const { answer, after } = await callLook({ run: () => Promise.reject(thrown) });
  expect(answer.result).toEqual({ ok: false, error: "Tool 'look' failed: not there", reason: 'tool_error' });
  expect(after).toBe('still here');
});

test.each<[what: string, returned: unknown]>([
  ['no blocks', []],
  ['a step of no blocks', step([])],
  ['nothing', undefined],
])('C21: a tool that returns %s gives one empty text block, and a warning in the log', async (_what, returned) => {
  const { answer, log } = await callLook(returns(returned));
  expect(answer.result?.output.blocks).toEqual([emptyText]);
  expect(log).toContain("tool 'look' returned nothing for the agent to see");
});

test('C21: empty text is something to see, and no warning', async () => {
  const { answer, log } = await callLook(returns(''));
  expect(answer.result?.output.blocks).toEqual([emptyText]);
  expect(log).not.toContain('returned nothing');
});

test.each([
  ['reward', /a reward must be a finite number or null, not "1.5"/],
  ['finished', /finished must be true or false, not "yes"/],
  ['type', /type must be 'text' or 'image', not "video"/],
  ['detail', /the detail of a block must be an object or null, not 5/],
  ['metadata', /metadata must be an object or null, not an array/],
  ['text', /a text block needs a string, not 5/],
])('C22: a wrong %s is an error event, never a success', async (what, message) => {
  expectErrorEvent(await callTool('wrong', { what }), message);
});

test('C22: a reward that is not a number is an error event, never a success', async () => {
  expectErrorEvent(await callTool('nan'), /a reward must be a finite number or null, not NaN/);
});

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;
const breaks = () => {
  throw new TypeError('the check broke');
};
const number = { input: z.object({}), output: z.number() };

test.each<[what: string, look: Tool<any, any>, message: RegExp]>([
  ['a BigInt', returns(5n), /BigInt/],
  ['a function', returns(() => 'x'), /function/],
  ['a symbol', returns(Symbol('x')), /symbol/],
  ['a cycle', returns(cyclic), /circular/],
  ['metadata with a BigInt', returns(step('x', { finished: true, metadata: { n: 5n } as never })), /BigInt/],
  ['metadata with a cycle', returns(step('x', { finished: true, metadata: cyclic as never })), /circular/],
  ['a detail with a cycle', returns(step(text('x', cyclic as never), { finished: true })), /circular/],
  ['what its output schema forbids', tool({ ...number, run: () => 'five' }), /does not match its output schema/],
  ['that later', tool({ ...number, run: async () => 'five' }), /does not match its output schema/],
  [
    'nothing where its output schema wants a value',
    { ...number, ...returns(undefined) },
    /does not match its output schema/,
  ],
  ['an output whose check breaks', { ...returns(1), output: z.number().refine(breaks) }, /the check broke/],
])('C22: a tool that returns %s gives an error event and does not end the episode', async (_what, look, message) => {
  const { answer, after } = await callLook(look);
  expectErrorEvent(answer, message);
  expect(after).toBe('still here');
});

test('a tool with an output schema returns its value as text; a step is content and is not checked', async () => {
  expect((await callLook(tool({ ...number, run: () => 5 }))).answer.result?.output.blocks[0].text).toBe('5');
  const paid = tool({ ...number, run: () => step('five', { reward: 1 }) });
  expect((await callLook(paid)).answer.result?.output).toMatchObject({ reward: 1, blocks: [{ text: 'five' }] });
});

test('a tool that sets no limit returns a megabyte of text, and what is more is cut and said to be', async () => {
  const megabyte = 2 ** 20;
  const read = async (bytes: number) => {
    const { answer } = await callLook({ run: () => 'x'.repeat(bytes) });
    return answer.result?.output.blocks[0].text as string;
  };
  expect((await read(megabyte)) === 'x'.repeat(megabyte)).toBe(true);
  const cut = `${'x'.repeat(megabyte)}\n[output cut: 1048576 of 1048577 bytes shown]`;
  expect((await read(megabyte + 1)) === cut).toBe(true);
});

test('maxOutputBytes cuts the text of a call, and the agent reads that it was cut', async () => {
  const run = () => [text('漢'.repeat(100)), image('aGk=', 'image/png')];
  const { answer } = await callLook({ maxOutputBytes: 10, run });
  expect(answer.result?.output.blocks).toEqual([
    { text: '漢漢漢\n[output cut: 9 of 300 bytes shown]', detail: null, type: 'text' },
    { data: 'aGk=', mimeType: 'image/png', detail: null, type: 'image' },
  ]);
});

test.each<[what: string, hears: boolean]>([
  ['that heeds its signal', true],
  ['that does not', false],
])('a tool %s fails when its time is up, with its signal fired, and the session goes on', async (_what, hears) => {
  let signal: AbortSignal | undefined;
  const { answer, after } = await callLook({
    timeoutMs: 20,
    async run(_input, context) {
      signal = context.signal;
      await new Promise((resolve) => hears && signal?.addEventListener('abort', resolve));
      return 'too late';
    },
  });
  expect(answer.result).toEqual({
    ok: false,
    error: "Tool 'look' failed: it took longer than 20 ms",
    reason: 'timeout',
  });
  expect(signal?.aborted).toBe(true);
  expect(after).toBe('still here');
});

test('a tool that is in time is not touched by its time limit', async () => {
  const { answer } = await callLook({
    timeoutMs: 60_000,
    run: async (_input, { signal }) => `aborted: ${signal.aborted}`,
  });
  expect(answer.result?.output.blocks[0].text).toBe('aborted: false');
});
