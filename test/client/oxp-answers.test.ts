import {
  HttpError,
  OutcomeUnknown,
  type OxpClient,
  OxpServerError,
  OxpToolError,
  OxpValidationError,
} from 'tiltyard/client';
import { expect, test } from 'vitest';
import { calculator, doorbell, messages } from '../../examples/toolkit/toolkit.ts';
import { rejection } from '../support/client.ts';
import { type ForeignServer, json, startForeign } from '../support/foreign.ts';
import { quickOxp, startOther, startTools, succeed } from '../support/oxp.ts';

const REFUSED: readonly [name: string, run: (client: OxpClient) => Promise<unknown>, type: unknown, known: object][] = [
  [
    'an unknown tool',
    (client) => client.call('Calculator.Subtract'),
    OxpServerError,
    {
      name: 'OxpServerError',
      status: 400,
      message: "Tool 'Calculator_Subtract' was not found",
      developerMessage: 'Calculator.Subtract does not exist',
    },
  ],
  [
    'a tool that lacks something',
    (client) => client.call('Messages.SendText', { to: '+15550100', text: 'Hello' }),
    OxpServerError,
    {
      name: 'OxpServerError',
      status: 400,
      message: "Tool 'Messages_SendText' is missing what it requires",
      missingRequirements: { authorization: [], secrets: ['SMS_API_KEY'], userId: true },
    },
  ],
  [
    'an input that does not fit',
    (client) => client.call('Calculator.Add@1.0.0', { a: 10, b: 'infinity' }),
    OxpValidationError,
    {
      name: 'OxpValidationError',
      status: 422,
      message: 'Some input parameters are invalid',
      parameterErrors: { b: 'Must be a number' },
    },
  ],
  [
    'a tool that failed',
    (client) => client.call('Doorbell.Ring', { doorbell_id: 'doorbell1' }, { maxToolRetries: 0, callId: 'call-1' }),
    OxpToolError,
    {
      name: 'OxpToolError',
      taskId: 'call-1',
      message: 'Doorbell ID not found',
      developerMessage: "The doorbell with ID 'doorbell1' does not exist.",
      canRetry: true,
      retryAfterMs: 500,
      additionalPromptContent: 'ids: doorbell42,doorbell84',
    },
  ],
];

test.each(REFUSED)('OXP K3: %s has its own error, which keeps what it knows through JSON', async (...each) => {
  const [, run, type, known] = each;
  const server = await startTools({ toolkits: [calculator, doorbell, messages] });
  const error = await rejection(run(quickOxp(server)));
  expect(error).toBeInstanceOf(type);
  expect(error).toMatchObject(known);
  expect(JSON.parse(JSON.stringify(error))).toMatchObject(known);
  expect(structuredClone(error.toJSON())).toMatchObject(known);
});

test.each([
  [
    'a page of a proxy',
    404,
    '<html>gone</html>',
    { name: 'OxpServerError', status: 404, message: '<html>gone</html>' },
  ],
  ['no body', 403, '', { name: 'OxpServerError', status: 403, message: 'Forbidden' }],
  ['a crash', 500, 'Internal Server Error', { name: 'HttpError', status: 500, detail: 'Internal Server Error' }],
  ['a 422 without parameters', 422, '{"message":"no"}', { name: 'OxpValidationError', parameterErrors: {} }],
  [
    'parameters that are not text',
    422,
    '{"message":"no","parameter_errors":{"a":["x"],"__proto__":"y"}}',
    { name: 'OxpValidationError', parameterErrors: JSON.parse('{"a":"[\\"x\\"]","__proto__":"y"}') },
  ],
  [
    'missing requirements of odd shapes',
    400,
    '{"message":"no","missing_requirements":{"secrets":["A",{"id":"B"}],"authorization":"x"}}',
    { missingRequirements: { authorization: [], secrets: ['B'], userId: false } },
  ],
])('OXP K3: %s is told as far as it goes', async (_name, status, body, known) => {
  const server = await startOther(({ response }) => response.writeHead(status).end(body));
  expect(await rejection(quickOxp(server).call('Any.Tool'))).toMatchObject(known);
  expect(server.on('/tools/call')).toHaveLength(1);
});

test.each([
  [
    'a result that is no result',
    { result: { value: 1 } },
    'the answer to POST /tools/call has no result: {"result":{"value":1}}',
  ],
  ['JSON that is something else', [1], 'the answer to POST /tools/call has no result: [1]'],
  ['a failure without an error', { result: { call_id: 'a', success: false } }, 'the tool failed without a message'],
])('OXP K3: %s is an error that says so', async (_name, body, message) => {
  const server = await startOther(json(body));
  expect((await rejection(quickOxp(server).call('Any.Tool'))).message).toBe(message);
});

test('OXP K3: an input that is no object is refused before anything is sent', async () => {
  const server = await startOther(succeed(1));
  const error = await rejection(quickOxp(server).call('Any.Tool', 'text'));
  expect(error).toBeInstanceOf(OxpValidationError);
  expect(server.seen).toHaveLength(0);
});

const FOREIGN_TOOL = {
  id: 'add',
  name: 'add',
  description: 'Adds.',
  input_schema: { type: 'object' },
  output_schema: {},
};

test.each([
  ['items', { items: [FOREIGN_TOOL] }],
  ['tools', { $schema: 'urn:oxp:1.0', tools: [FOREIGN_TOOL] }],
  ['a bare array', [FOREIGN_TOOL]],
  ['schemas inside `parameters`', { items: [{ ...FOREIGN_TOOL, input_schema: { parameters: { type: 'object' } } }] }],
])('OXP K5: reads a list of tools as %s', async (_name, body) => {
  const server = await startForeign({ 'GET /tools': json(body) });
  expect(await quickOxp(server).tools()).toEqual([{ ...FOREIGN_TOOL, version: '' }]);
});

test('OXP K5: a tool of which little is said is filled up, and a parameter called parameters is left alone', async () => {
  const schema = { type: 'object', properties: { parameters: { type: 'object' } } };
  const items = [{ id: 'a' }, { id: 'b', input_schema: schema }];
  const server = await startForeign({ 'GET /tools': json({ items }) });
  expect(await quickOxp(server).tools()).toEqual([
    { id: 'a', name: 'a', description: '', version: '', input_schema: {}, output_schema: null },
    { id: 'b', name: 'b', description: '', version: '', input_schema: schema, output_schema: null },
  ]);
});

test.each([
  ['no list', {}, 'the answer to GET /tools is not a list of tools: {}'],
  [
    'a tool without an id',
    [{ name: 'add' }],
    'the answer to GET /tools has a tool that cannot be read: {"name":"add"}',
  ],
])('OXP K5: %s is an error that says so', async (_name, body, message) => {
  const server = await startForeign({ 'GET /tools': json(body) });
  expect((await rejection(quickOxp(server).tools())).message).toBe(message);
});

const flat = json({ execution_id: 'their-id', success: true, value: { sum: 3 } });

test("OXP K5: reads a flat result, and takes the server's id", async () => {
  const server = await startOther(flat);
  expect(await quickOxp(server).call('add', { a: 1, b: 2 })).toEqual({
    callId: 'their-id',
    durationMs: expect.any(Number),
    value: { sum: 3 },
    outcome: 'returned',
  });
});

test('OXP K5: errors of a tool server of LangChain are read', async () => {
  const answers: [number, object][] = [
    [404, { detail: 'Tool nope not found' }],
    [400, { detail: "Invalid input: 'b' is a required property" }],
    [401, { error: 'who are you?' }],
  ];
  const server = await startOther((exchange) => {
    const [status, body] = answers[exchange.count - 1] ?? [500, {}];
    return json(body, status)(exchange);
  });
  for (const [status, body] of answers) {
    const [message] = Object.values(body);
    expect(await rejection(quickOxp(server).call('nope'))).toMatchObject({ name: 'OxpServerError', status, message });
  }
});

test.each<[string, (server: ForeignServer) => Promise<OxpClient>]>([
  [
    'its bare list of tools',
    async (server) => {
      const client = quickOxp(server);
      await client.tools();
      return client;
    },
  ],
  [
    'an id of its own',
    async (server) => {
      const client = quickOxp(server);
      await client.call('add');
      return client;
    },
  ],
  ["the caller's word", async (server) => quickOxp(server, { onUnknown: 'fail' })],
])('OXP K5: a server known by %s to take no notice of ids gets no call twice', async (_name, connectTo) => {
  let broken = false;
  const server = await startOther((exchange) => (broken ? exchange.response.destroy() : flat(exchange)), {
    'GET /tools': json([FOREIGN_TOOL]),
  });
  const client = await connectTo(server);
  broken = true;
  const before = server.on('/tools/call').length;
  const error = await rejection(client.call('add'));
  expect(error).toBeInstanceOf(OutcomeUnknown);
  expect(server.on('/tools/call')).toHaveLength(before + 1);
});

test('OXP K5: a caller who insists on repeats gets them, also where they may run a tool twice', async () => {
  const server = await startOther((exchange) => (exchange.count === 2 ? exchange.response.destroy() : flat(exchange)));
  const client = quickOxp(server, { onUnknown: 'repeat' });
  await client.call('add');
  expect((await client.call('add')).value).toEqual({ sum: 3 });
  expect(server.seen).toHaveLength(3);
});

test('OXP K5: what cannot have run is repeated also there', async () => {
  const server = await startOther((exchange) =>
    (exchange.count < 3 ? json({ detail: 'too many' }, 429) : flat)(exchange),
  );
  expect((await quickOxp(server, { onUnknown: 'fail' }).call('add')).value).toEqual({ sum: 3 });
  const crashing = await startOther(json({}, 500));
  expect(await rejection(quickOxp(crashing, { onUnknown: 'fail' }).call('add'))).toBeInstanceOf(HttpError);
});
