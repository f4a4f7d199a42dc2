import { describe, expect, test } from 'vitest';
import type { Answer } from '../support/http.ts';
import { exchange, toRequest } from '../support/raw.ts';
import { expectDescribed } from './described.ts';
import { shareToolServer, startToolServer } from './support.ts';

const server = shareToolServer();

const SUM = { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Checks a refusal before the tool: its user reads one thing, its developer another. */
function expectRefused({ status, json }: Answer, message: string, detail: string | RegExp): void {
  expect(status).toBe(400);
  expect(Object.keys(json)).toEqual(['$schema', 'message', 'developer_message']);
  expect(json.message).toBe(message);
  expect(json.developer_message).toMatch(detail);
}

describe('before the tool', () => {
  test.each([
    ['nothing', '', 'needs a JSON object'],
    ['no JSON', '{', 'not valid JSON: it breaks at position 1'],
    ['JSON and more', '{} {}', 'not valid JSON'],
    ['a list', '[]', 'must be a JSON object, not an array'],
    ['null', 'null', 'not null'],
    ['text', '"request"', 'must be a JSON object'],
    ['no request', '{}', "'request' must be an object, not nothing"],
    ['a request of the wrong name', '{"Request":{"tool_id":"Calculator.Add"}}', "'request' must be an object"],
    ['a request that is null', '{"request":null}', "'request' must be an object, not null"],
    ['a request that is a list', '{"request":[]}', "'request' must be an object, not an array"],
    ['the body of an ORS call', '{"name":"submit","input":{}}', "'request' must be an object"],
    ['an empty request', '{"request":{}}', "'tool_id' must be a string, not nothing"],
  ])('OXP E1: a body that is %s is refused', async (_what, raw, detail) => {
    const before = server().runs.length;
    for (const path of ['/tools/call', '/call']) {
      const answer = await server().request('POST', path, { raw, headers: JSON_TYPE });
      expectRefused(answer, 'The request is not valid', detail);
    }
    expect(server().runs.length).toBe(before);
  });

  test.each([
    ['unknown keys', { callId: 'x' }, "'request' has an unknown key 'callId'"],
    ['a key of the envelope', { $schema: 'urn:oxp:1.0' }, "unknown key '\\$schema'"],
    ['a call_id that is a number', { call_id: 5 }, "'call_id' must be a string of 1 to 256 characters, not 5"],
    ['a call_id that is null', { call_id: null }, "'call_id' must be"],
    ['an empty call_id', { call_id: '' }, "'call_id' must be"],
    ['a call_id without end', { call_id: 'x'.repeat(257) }, "'call_id' must be"],
    ['a trace_id that is a list', { trace_id: [] }, "'trace_id' must be"],
    ['a context that is a list', { context: [] }, "'context' must be an object"],
    ['a context that is null', { context: null }, "'context' must be an object"],
    ['secrets that are no list', { context: { secrets: { A: 'b' } } }, "'context.secrets' must be an array"],
    ['a secret without a value', { context: { secrets: [{ id: 'A' }] } }, "'id' and 'value'"],
    ['a secret that is null', { context: { secrets: [null] } }, "'context.secrets' must be"],
    ['a token that is a number', { context: { authorization: [{ id: 'a', token: 1 }] } }, "'id' and 'token'"],
    [
      'too many secrets',
      { context: { secrets: Array.from({ length: 101 }, () => ({ id: 'A', value: 'b' })) } },
      "'context.secrets' must have at most 100 entries, not 101",
    ],
    [
      'a token without end',
      { context: { authorization: [{ id: 'A', token: 'b'.repeat(65_537) }] } },
      "each 'token' in 'context.authorization' must have at most 65536 characters",
    ],
    ['a user that is a number', { context: { user_id: 5 } }, "'context.user_id' must be a string"],
  ])('OXP E1: %s in a request are refused', async (_what, more, detail) => {
    const before = server().runs.length;
    expectRefused(await server().call({ ...SUM, ...more }), 'The request is not valid', new RegExp(detail));
    expect(server().runs.length).toBe(before);
  });

  test('OXP E1: further keys in the context and its entries are let in', async () => {
    const context = { secrets: [{ id: 'A', value: 'b', note: 'x' }], tenant: 'y' };
    expect((await server().call({ ...SUM, context })).json.result.value).toBe(3);
  });

  test('OXP E1: what stands in a context is not repeated in an error', async () => {
    const hidden = 'hunter2-hunter2';
    const contexts = [hidden, { secrets: hidden }, { secrets: [{ id: 'A', value: [hidden] }] }, { user_id: [hidden] }];
    for (const context of contexts) {
      const { status, text } = await server().call({ ...SUM, context });
      expect([status, text.includes('hunter2')]).toEqual([400, false]);
    }
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'garbage', ';;'])(
    'OXP E1: a body of type %s is refused',
    async (type) => {
      const raw = JSON.stringify({ request: SUM });
      const answer = await server().request('POST', '/tools/call', { raw, headers: { 'content-type': type } });
      expectRefused(answer, 'The request is not valid', /./);
    },
  );

  test.each(['application/json', 'Application/JSON; charset=UTF-8', 'application/vnd.oxp+json'])(
    'OXP E1: a body of type %s is taken',
    async (type) => {
      const body = JSON.stringify({ request: SUM });
      const answer = await exchange(server(), toRequest('POST /tools/call', [`Content-Type: ${type}`], body));
      expectDescribed('POST', '/tools/call', answer);
      expect(answer.json.result.value).toBe(3);
    },
  );

  test('OXP E1: a request without a Host is refused in the words of OXP', async () => {
    const body = JSON.stringify({ request: SUM });
    const head = `POST /tools/call HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    const answer = await exchange(server(), `${head}\r\n\r\n${body}`);
    expectDescribed('POST', '/tools/call', answer);
    expectRefused(answer, 'The request is not valid', 'Host');
  });
});

describe('the order', () => {
  // Each request has this fault and all the later ones: the first is told.
  const input = { to: 5 };
  const ORDER = [
    ['the version of the protocol', { $schema: 'urn:oxp:2.0', request: [] }, 'This version of OXP is not supported'],
    ['the envelope', { request: { tool_id: 'Nobody.Knows', x: 1, input } }, 'The request is not valid'],
    ['the tool id', { request: { tool_id: 'Nobody.Knows', input } }, "Tool 'Nobody_Knows' was not found"],
    ['requirements', { request: { tool_id: 'Needs.Sms', input } }, "Tool 'Needs_Sms' is missing what it requires"],
    [
      'requirements again',
      { request: { tool_id: 'Needs.Sms', input: 5 } },
      "Tool 'Needs_Sms' is missing what it requires",
    ],
    [
      'requirements of',
      { request: { tool_id: 'Needs.All', input: null } },
      "Tool 'Needs_All' is missing what it requires",
    ],
  ] as const;
  test.each(ORDER)('OXP E1: %s comes before what follows', async (_what, body, message) => {
    const { status, json } = await server().post('/tools/call', body);
    expect([status, json.message]).toEqual([400, message]);
  });

  test('OXP E1, S4: credentials come before everything else', async () => {
    const { request, post } = await startToolServer({ auth: { apiKeys: ['right'] }, limits: { bodyBytes: 1_000 } });
    const bodies = ['{', '', JSON.stringify(ORDER[0][1]), 'x'.repeat(2_000)];
    for (const raw of bodies) {
      const answer = await request('POST', '/tools/call', { raw, headers: JSON_TYPE });
      expect([answer.status, answer.json.message]).toEqual([400, 'Valid credentials are required']);
    }
    expect((await post('/tools/call', {}, { headers: { 'oxp-api-key': 'right' } })).json.message).toContain(
      'not valid',
    );
  });

  test('OXP E2, I2: an input that is refused is told so, also under a call_id that is taken', async () => {
    const { call } = server();
    expect((await call({ ...SUM, call_id: 'taken' })).status).toBe(200);
    const { status, json } = await call({ ...SUM, call_id: 'taken', input: { a: 1 } });
    expect([status, json.parameter_errors]).toEqual([422, { b: 'Is required' }]);
  });
});

describe('paths and methods', () => {
  test.each([
    ['GET', '/tools/call', 'POST'],
    ['PUT', '/tools/call', 'POST'],
    ['DELETE', '/call', 'POST'],
    ['POST', '/tools', 'GET, HEAD'],
    ['PROPFIND', '/tools', 'GET, HEAD'],
    ['OPTIONS', '/tools/call', 'POST'],
  ])('OXP E1: %s %s is 405 in the words of OXP', async (method, path, allow) => {
    const answer = await server().request(method, path);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    expect(answer.json.developer_message).toContain(`${method} is not allowed on ${path}: use ${allow}`);
  });

  test.each(['/nope', '/tools/call/more', '/tools/Calculator.Add', '/list_environments', '/Tools', '/math/tools'])(
    'OXP E1: a server of toolkits alone has no %s, and says so in the words of OXP',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const { status, json, headers } = await server().request(method, path);
        expect(status).toBe(404);
        expect(headers.get('content-type')).toMatch(/^application\/json/);
        expect(json.$schema).toBe('urn:oxp:1.0');
        expect(json.developer_message).toMatch(/^(GET|POST) .* not found\. GET \/openapi.json lists the routes/);
      }
    },
  );

  test('a server of toolkits alone says at / where its tools are', async () => {
    const { status, json } = await server().get('/');
    const home = { server: 'tiltyard', version: expect.any(String), tools: '/tools', openapi: '/openapi.json' };
    expect([status, json]).toEqual([200, home]);
  });

  test('OXP O2: HEAD /tools has the headers and no body', async () => {
    const { status, text } = await server().request('HEAD', '/tools');
    expect([status, text]).toEqual([200, '']);
  });
});
