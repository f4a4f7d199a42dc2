import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SECOND } from '../support/clock.ts';
import type { Answer, RequestOptions } from '../support/http.ts';
import { exchange, openRaw, toRequest } from '../support/raw.ts';
import { turns } from './attempts.ts';
import { expectDescribed } from './described.ts';
import { shareToolServer } from './support.ts';

const server = shareToolServer();

/** Sends a body as it is. */
function sendBody(raw: NonNullable<RequestOptions['raw']>): Promise<Answer> {
  return server().request('POST', '/tools/call', { raw, headers: { 'content-type': 'application/json' } });
}

/** Whatever came, the caller gets an answer of OXP, and the server is none the worse. */
async function expectHarmless({ status, text }: Answer): Promise<void> {
  expect(status, text.slice(0, 500)).toBeLessThan(500);
  expect((await server().get('/health')).status).toBe(200);
  expect(Object.keys(Object.prototype)).toEqual([]);
}

describe('bodies', () => {
  test.each([
    '{"__proto__":{"polluted":1},"request":{"tool_id":"Shapes.Echo"}}',
    '{"request":{"__proto__":{"polluted":1},"tool_id":"Shapes.Echo"}}',
    '{"request":{"tool_id":"Shapes.Echo","input":{"__proto__":{"polluted":1}}}}',
    '{"request":{"tool_id":"Shapes.Echo","input":{"a":[{"\\u005f_proto__":null}]}}}',
    '{"request":{"tool_id":"Shapes.Echo","input":{"constructor":{"prototype":{"polluted":1}}}}}',
    '{"request":{"tool_id":"Shapes.Echo","context":{"__proto__":{"user_id":"root"}}}}',
  ])('OXP E1: keys that reach a prototype are refused: %s', async (raw) => {
    const answer = await sendBody(raw);
    expect([answer.status, answer.json.message]).toEqual([400, 'The request is not valid']);
    expect(answer.json.developer_message).toContain('__proto__');
    await expectHarmless(answer);
  });

  test('OXP E1: numbers that are too large are refused, and it is said where', async () => {
    const answer = await sendBody('{"request":{"tool_id":"Shapes.Echo","input":{"a":[1e400]}}}');
    expect([answer.status, answer.json.message]).toEqual([400, 'The request is not valid']);
    expect(answer.json.developer_message).toContain("'request.input.a.0' is too large");
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', 'prototype', 'valueOf', 'then'])(
    'OXP E2: a parameter may be called %s',
    async (name) => {
      const { json } = await server().call({ tool_id: 'Shapes.Echo', input: { [name]: 'x' } });
      expect(json.result.value).toEqual({ [name]: 'x' });
      const { status } = await server().call({ tool_id: 'Calculator.Add', input: { [name]: 'x', a: 1, b: 2 } });
      expect(status).toBe(200);
    },
  );

  const deep = `${'{"a":['.repeat(50_000)}1${']}'.repeat(50_000)}`;
  test.each([
    ['everything', deep],
    ['the request', `{"request":${deep}}`],
    ['the schema', `{"$schema":${deep},"request":{"tool_id":"Shapes.Echo"}}`],
    ['the tool id', `{"request":{"tool_id":${deep}}}`],
    ['the context', `{"request":{"tool_id":"Shapes.Echo","context":${deep}}}`],
    ['a secret', `{"request":{"tool_id":"Shapes.Echo","context":{"secrets":[{"id":"a","value":"b","more":${deep}}]}}}`],
    ['the input', `{"request":{"tool_id":"Shapes.Echo","input":${deep}}}`],
    ['the input of a call with an id', `{"request":{"call_id":"deep","tool_id":"Shapes.Echo","input":${deep}}}`],
    [
      'the input of a tool without parameters',
      `{"request":{"call_id":"deep","tool_id":"Shapes.NoInput","input":${deep}}}`,
    ],
    ['a parameter', `{"request":{"tool_id":"Shapes.Nested","input":{"name":"a","at":${deep},"path":[${deep}]}}}`],
  ])('OXP E1: nesting without end in %s does no harm', async (_where, raw) => expectHarmless(await sendBody(raw)));

  test('OXP I2: an input that is nested too deeply to be told from another is refused', async () => {
    const nested = `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`;
    const { status, json } = await sendBody(`{"request":{"call_id":"d","tool_id":"Shapes.Echo","input":${nested}}}`);
    expect([status, json.parameter_errors]).toEqual([422, { input: 'Is nested too deeply' }]);
  });

  test.each([
    ['Shapes.Defs', 'lines', '{}'],
    ['Shapes.Nested', 'path', '""'],
    ['Shapes.Nested', 'tags', undefined],
  ])('OXP E2: ninety thousand mistakes in %s.%s cost no more than one', async (toolId, parameter, item) => {
    const items =
      item === undefined
        ? `{${Array.from({ length: 90_000 }, (_, index) => `"${index}":""`).join()}}`
        : `[${`${item},`.repeat(90_000)}${item}]`;
    const start = performance.now();
    const answer = await sendBody(
      `{"request":{"call_id":"m","tool_id":"${toolId}","input":{"${parameter}":${items}}}}`,
    );
    expect([answer.status, answer.text.length < 1_000]).toEqual([422, true]);
    expect(performance.now() - start).toBeLessThan(5 * SECOND);
  });

  test('OXP E1: bytes that are no text do no harm', async () => {
    await expectHarmless(await sendBody(new Uint8Array([0xff, 0xfe, 0, 0x7b])));
    await expectHarmless(await sendBody(Buffer.from('{"request":{"tool_id":"\xff\xfe\x80"}}', 'latin1')));
    await expectHarmless(await sendBody('\ufeff{"request":{"tool_id":"Shapes.Echo"}}'));
  });

  test('OXP E1: no JSON of any shape is more than a mistake of the caller', async () => {
    const ids = ['Calculator.Add', 'Shapes.Nested', 'Shapes.Echo', 'Needs.All', 'Slow.Once', 'Nobody.Knows'];
    const likely = fc.oneof(fc.constantFrom(...ids, 'urn:oxp:1.0', '', null, -1), fc.jsonValue());
    const entries = fc.array(fc.record({ id: likely, value: likely, token: likely }, { requiredKeys: [] }));
    const context = fc.record(
      { secrets: fc.oneof(entries, likely), authorization: fc.oneof(entries, likely), user_id: likely },
      { requiredKeys: [] },
    );
    const request = fc.record(
      {
        tool_id: fc.oneof(fc.constantFrom(...ids), likely),
        call_id: likely,
        trace_id: likely,
        input: fc.oneof(fc.dictionary(fc.constantFrom('a', 'b', 'name', 'at', 'path', 'tags'), likely), likely),
        context: fc.oneof(context, likely),
      },
      { requiredKeys: ['tool_id'] },
    );
    const bodies = fc.oneof(
      fc.jsonValue(),
      fc.record({ request: fc.oneof(request, likely), $schema: likely }, { requiredKeys: ['request'] }),
      fc.record({ request }),
    );
    const check = async (body: unknown) => expectHarmless(await sendBody(JSON.stringify(body)));
    await fc.assert(fc.asyncProperty(bodies, check), { numRuns: 200 });
  });
});

describe('connections', () => {
  const body = JSON.stringify({ request: { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } } });

  test('OXP E1: half a request does no harm', async () => {
    for (const part of [
      `POST /tools/call HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n${body.slice(0, 20)}`,
      'POST /to',
    ]) {
      const connection = openRaw(server());
      const answer = connection.send(part);
      connection.close();
      await expect(answer).rejects.toThrow('closed');
    }
    expect((await server().get('/health')).status).toBe(200);
  });

  test('OXP E1: what is not JSON does not put the answers on one connection out of order', async () => {
    const connection = openRaw(server());
    const type = ['Content-Type: application/json'];
    const first = await connection.send(
      toRequest('POST /tools/call', type, '{') + toRequest('POST /tools/call', type, body),
    );
    expectDescribed('POST', '/tools/call', first);
    expect(first.status).toBe(400);
    expect((await connection.send('')).json.result.value).toBe(3);
    connection.close();
  });

  test('OXP I4: a caller that asks for much on one connection and leaves has all of it aborted, without a warning', async () => {
    const { gate, runs } = server();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    const connection = openRaw(server());
    const tags = Array.from({ length: 20 }, (_, index) => `piped ${index}`);
    const requests = tags.map((tag) => {
      const request = { tool_id: 'Slow.Wait', input: { tag } };
      return toRequest('POST /tools/call', ['Content-Type: application/json'], JSON.stringify({ request }));
    });
    const answer = connection.send(requests.join(''));
    await Promise.all(tags.map((tag) => gate(tag).reached));
    const signals = runs.filter(({ input }) => tags.includes(input.tag)).map(({ context }) => context.signal);
    const aborted = signals.map((signal) => new Promise((resolve) => signal.addEventListener('abort', resolve)));
    connection.close();
    await expect(answer).rejects.toThrow('closed');
    await Promise.all(aborted);
    await turns(2);
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  test('OXP E1: an unknown encoding of the body is refused', async () => {
    const answer = await exchange(
      server(),
      toRequest('POST /tools/call', ['Content-Type: application/json', 'Content-Encoding: gzip'], '\u001f\u008b'),
    );
    expectDescribed('POST', '/tools/call', answer);
    expect(answer.status).toBe(400);
  });
});
