import { describe, expect, test } from 'vitest';
import { eventually, MINUTE, SECOND, stopClock } from '../support/clock.ts';
import { startGated } from '../support/gates.ts';
import { type CallAnswer, shareServer, startServer } from '../support/http.ts';
import { readEventsLikePython, STRIPPED, toPayloads, toResult } from '../support/sse.ts';
import { openCall } from '../support/stream.ts';

const server = shareServer();

/** The JSON of a tool that returned this text. */
function resultOf(text: string): string {
  const blocks = [{ text, detail: null, type: 'text' }];
  return JSON.stringify({ ok: true, output: { blocks, metadata: null, reward: null, finished: false } });
}

/** Sends text through a tool that returns it. */
async function echo(value: string): Promise<CallAnswer> {
  return server().call(await server().create(), 'echo', { value });
}

describe('the events', () => {
  test.each([
    ['a small result', 'noargs', {}, /^task_id,end$/],
    ['a large result', 'big', { n: 20_000, ch: 'x' }, /^task_id(,chunk)+,end$/],
    ['a failure that the tool reports', 'fail', {}, /^task_id,end$/],
    ['a tool that breaks', 'boom', {}, /^task_id,error$/],
  ])('E1: %s comes as events in the right order', async (_what, name, input, order) => {
    const { events } = await server().call(await server().create(), name, input);
    expect(events.map(({ event }) => event).join()).toMatch(order);
  });

  test('E3: the id comes while the tool still runs', async () => {
    const { open, tool, trace } = await startGated();
    const call = open();
    expect(await call.taskId()).toMatch(/^[0-9a-f]{32}$/);
    expect(trace).not.toContain('wait:end');
    tool.open();
    expect((await call.ended).map(({ event }) => event)).toEqual(['task_id', 'end']);
  });

  test('E3: the id comes while the call still waits for its turn', async () => {
    const { open, tool, count } = await startGated();
    const first = open();
    await first.taskId();
    const second = open();
    expect(await second.taskId()).not.toBe(await first.taskId());
    expect(count('wait')).toBe(1);
    tool.open();
    await second.ended;
    expect(count('wait')).toBe(2);
  });

  test.each(['wait', 'fail'])('E12: the stream of `%s` is over right after its last event', async (name) => {
    const { open, tool } = await startGated();
    const call = open({ name });
    await call.taskId();
    tool.open();
    await call.ended;
    expect(call.text).toMatch(/^event: task_id\ndata: \w+\n\nevent: (end|error)\ndata: [^\n]+\n\n$/);
  });
});

describe('the lines', () => {
  test.each([
    ['E2', 'noargs', {}],
    ['E2', 'big', { n: 20_000, ch: 'x' }],
    ['E2', 'boom', { message: 'two\nlines' }],
    ['E10', 'boom', { message: '\n\n: no comment\r\nevent: end\rdata' }],
  ])('%s: every event of `%s` %j is a name, lines of data and a blank line', async (_id, name, input) => {
    const { text } = await server().call(await server().create(), name, input);
    expect(text).toMatch(/^(event: (task_id|chunk|end|error)\n(data: [^\r\n]*\n)+\n)+$/);
  });

  test('E8: a result with line breaks is one line of data', async () => {
    const value = 'a\nb\rc\r\nd\n\n';
    const { text, events, result } = await echo(value);
    expect(text.match(/^data:/gm)).toHaveLength(events.length);
    expect(text).not.toContain('\r');
    expect(result?.output.blocks[0].text).toBe(value);
  });

  test('E7: no line break of Unicode is in the raw bytes, and all arrive', async () => {
    const value = '\u0085a\u2028b\u2029'.repeat(2_000);
    const { text, result } = await echo(value);
    expect(text).not.toMatch(/[\u0085\u2028\u2029]/);
    expect(result?.output.blocks[0].text).toBe(value);
  });

  test('E9: an error of several lines arrives with its lines', async () => {
    const { text, error } = await server().call(await server().create(), 'boom', { message: 'one\ntwo\r\n\nfour' });
    expect(text).toContain('data: Error: one\ndata: two\ndata: \ndata: four\n\n');
    expect(error).toBe('Error: one\ntwo\n\nfour');
  });

  test.each(['x', '\n', '漢'])('E9: an error of a megabyte of %j stays under 64 KB', async (character) => {
    const { text, error } = await server().call(await server().create(), 'boom', {
      message: character.repeat(1024 * 1024),
    });
    expect(error).toMatch(/^Error: /);
    expect(Buffer.byteLength(text)).toBeLessThan(64 * 1024);
  });
});

describe('the cuts', () => {
  test.each([
    [4095, 1],
    [4096, 1],
    [4097, 2],
    [8192, 2],
    [8193, 3],
    [1024 * 1024, 256],
  ])('E4: a result of %i bytes comes in %i events and is restored exactly', async (bytes, count) => {
    const value = 'x'.repeat(bytes - resultOf('').length);
    const { events } = await echo(value);
    const payloads = toPayloads(events);
    expect(payloads).toHaveLength(count);
    expect(payloads.join('') === resultOf(value)).toBe(true);
  });

  test.each([
    ['emoji', '😀', 10_000],
    ['Chinese characters', '漢', 10_000],
    ['accents', 'é', 10_000],
    ['halves of surrogate pairs', '\ud83d', 10_000],
  ])('E5: %s arrive unbroken, wherever the text begins', async (_what, character, times) => {
    for (let offset = 0; offset < 4; offset += 1) {
      const value = 'x'.repeat(offset) + character.repeat(times);
      const { events, result } = await echo(value);
      const payloads = toPayloads(events);
      expect(payloads.filter((payload) => payload.includes('\ufffd') || !payload.isWellFormed())).toEqual([]);
      expect(Math.max(...payloads.map((payload) => Buffer.byteLength(payload)))).toBeLessThanOrEqual(4096);
      expect(result?.output.blocks[0].text === value).toBe(true);
    }
  });

  test.each([
    ...STRIPPED.map((character) => [`U+${character.charCodeAt(0).toString(16)}`, character.repeat(30_000)]),
    ['indented code', '        if (x) {\n            return y;\n        }\n'.repeat(2_000)],
    ['words', 'one two three four '.repeat(5_000)],
  ])('E6: %s reach the official client unchanged', async (_what, value) => {
    const { text, events } = await echo(value);
    const edges = toPayloads(events).flatMap((payload) => [payload.charAt(0), payload.charAt(payload.length - 1)]);
    expect(edges.filter((edge) => STRIPPED.includes(edge))).toEqual([]);
    expect(toResult(readEventsLikePython(text))?.output.blocks[0].text === value).toBe(true);
  });
});

describe('signs of life', () => {
  const PING = /^: ping$/gm;

  test('E11: comments come while a tool runs, only between events', async () => {
    const { open, tool } = await startGated({ pingMs: 20 });
    const call = open({ input: { text: 'x'.repeat(100_000) } });
    await call.until(({ text }) => (text.match(PING)?.length ?? 0) >= 3);
    tool.open();
    await call.ended;
    expect(call.text).toMatch(/^event: task_id\ndata: \w+\n\n(: ping\n\n){3,}(event: (chunk|end)\ndata: .+\n\n)+$/);
  });

  test('E11: by default one comes every ten seconds', async () => {
    const clock = stopClock();
    const { open, tool } = await startGated();
    const call = open();
    await call.taskId();
    await clock.pass(MINUTE - 1);
    await call.until(({ text }) => (text.match(PING)?.length ?? 0) >= 5);
    await clock.pass(SECOND);
    await call.until(({ text }) => text.match(PING)?.length === 6);
    tool.open();
    await call.ended;
  });

  test.each([0, 30_000, Number.NaN])('E11: an interval of %d ms is refused', async (pingMs) => {
    await expect(startServer({ pingMs })).rejects.toThrow('pingMs');
  });
});

describe('large outputs', () => {
  test('E13: the JSON is compact and has all keys', async () => {
    const { events } = await server().call(await server().create(), 'noargs');
    expect(toPayloads(events)).toEqual([resultOf('nothing needed')]);
  });

  test('E13: a reader that stops reading holds back the server, and later gets the whole', async () => {
    const size = 50_000_000;
    const { server, url, create } = await startServer();
    const answers: { writableNeedDrain: boolean; writableLength: number }[] = [];
    const sid = await create();
    server.app.server.on('request', (_request, response) => answers.push(response));

    const call = openCall({ url }, { sid, name: 'big', input: { n: size, ch: 'x' } });
    const response = await call.response;
    response.pause();
    const [answer] = answers;
    await eventually(() => expect(answer?.writableNeedDrain).toBe(true));
    expect(answer?.writableLength).toBeLessThan(1_000_000);
    expect(call.bytes.length).toBeLessThan(size / 2);

    response.resume();
    const result = toResult(await call.ended);
    expect(result?.output.blocks[0].text.length).toBe(size);
  });
});
