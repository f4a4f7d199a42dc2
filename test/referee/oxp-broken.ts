import { type Break, changeJson, type Passing, type Returning } from './oxp-proxy.ts';

/** A server that breaks one requirement, and the probes that must say so. */
export interface BrokenServer {
  readonly what: string;
  readonly ids: readonly string[];
  /** Whether the server behind it wants a key. */
  readonly wantsKey?: true;
  readonly how: Break;
}

const KEY_HEADER = 'x-api-key';

/** Deliberately broken servers of the toolkits of the example. */
export const BROKEN: readonly BrokenServer[] = [
  { what: 'is never healthy', ids: ['O1'], how: { answer: on('/health', (answer) => (answer.status = 503)) } },
  { what: 'lists other tools under another name', ids: ['O2'], how: { answer: list(({ tools }) => tools.pop()) } },
  { what: 'lists names that no provider takes', ids: ['O3'], how: { answer: tools((tool) => (tool.name = tool.id)) } },
  { what: 'lists keys of its own', ids: ['O3'], how: { answer: tools((tool) => (tool.price = 1)) } },
  { what: 'lists references', ids: ['O4'], how: { answer: tools((tool) => (tool.input_schema.$defs = {})) } },
  {
    what: 'has calls elsewhere',
    ids: ['O5', 'V3', 'T2', 'T3', 'T4', 'E1', 'E2', 'E3', 'S5'],
    how: {
      answer: on('/tools/call', (answer) => Object.assign(answer, { status: 404, body: '{"detail":"Not Found"}' })),
    },
  },
  { what: 'answers without an envelope', ids: ['O6'], how: { answer: calls((body) => ({ ...body.result })) } },
  { what: 'succeeds without a value', ids: ['O6'], how: { answer: results((result) => delete result.value) } },
  { what: 'lists a tool twice', ids: ['O7'], how: { answer: list((body) => repeatFirst(body)) } },
  { what: 'lists long names', ids: ['M21'], how: { answer: tools((tool) => (tool.name = tool.name.padEnd(46, '_'))) } },
  { what: 'must be told the version', ids: ['V1'], how: { ask: call((body) => (body.$schema ??= 'urn:oxp:0.1')) } },
  { what: 'does not know the long form', ids: ['V1'], how: { ask: call(refuseLongForm) } },
  { what: 'takes any version of OXP', ids: ['V2'], how: { ask: call((body) => delete body.$schema) } },
  { what: 'does not say what it speaks', ids: ['V3'], how: { answer: json((body) => delete body.$schema) } },
  { what: 'takes any version of a tool', ids: ['T1', 'T2'], how: { ask: ids((id) => id.replace(/@.*/, '')) } },
  { what: 'takes @0 for the newest', ids: ['T2'], how: { ask: ids((id) => id.replace(/@0$/, '@0.1.0')) } },
  { what: 'takes @1 for the newest 1', ids: ['T2'], how: { ask: ids((id) => id.replace(/Add@1$/, 'Add@2.0.0')) } },
  { what: 'takes the first for the latest', ids: ['T3'], how: { ask: ids((id) => id.replace(/Add$/, 'Add@1.0.0')) } },
  { what: 'answers 404 to unknown tools', ids: ['T4'], how: { answer: refusals(notFound) } },
  { what: 'ignores case', ids: ['T5'], how: { ask: ids((id) => id.replace('calculator.add', 'Calculator.Add')) } },
  { what: 'fails at what is no JSON', ids: ['E1'], how: { answer: refusals(failAtNoJson) } },
  { what: 'refuses inputs with 400', ids: ['E2'], how: { answer: inputs((answer) => (answer.status = 400)) } },
  { what: 'lists errors of parameters', ids: ['E2'], how: { answer: inputs(listErrors) } },
  { what: 'answers 500 to tools that fail', ids: ['E3'], how: { answer: failures((answer) => (answer.status = 500)) } },
  {
    what: 'fails without a message',
    ids: ['E3'],
    how: { answer: results(silence) },
  },
  { what: 'fails with a value', ids: ['E4'], how: { answer: results((result) => (result.value ??= null)) } },
  { what: 'returns what it should not', ids: ['E5'], how: { answer: results(spoilValue) } },
  { what: 'gives ids of its own', ids: ['I1'], how: { answer: results((result) => (result.call_id = 'same')) } },
  { what: 'keeps no calls by id', ids: ['I2'], how: forgetIds() },
  { what: 'is afraid of credentials', ids: ['S1'], how: { answer: on('/tools', refuseBearer) } },
  { what: 'takes the key elsewhere', ids: ['S2'], wantsKey: true, how: { ask: dropKey } },
  { what: 'takes any token', ids: ['S3'], wantsKey: true, how: { ask: trustBearer } },
  { what: 'answers 403 to strangers', ids: ['S4'], wantsKey: true, how: { answer: on('/tools', forbid) } },
  { what: 'hides what is missing', ids: ['S5'], how: { answer: json((body) => delete body.missing_requirements) } },
];

type Answering = NonNullable<Break['answer']>;
type Asking = NonNullable<Break['ask']>;

function on(path: string, change: Answering): Answering {
  return (answer, request) => {
    if (request.path === path) change(answer, request);
  };
}

/** Changes the JSON of every answer. */
function json(change: (body: any, request: Passing) => unknown): Answering {
  return (answer, request) => {
    if (answer.headers['content-type']?.startsWith('application/json'))
      changeJson(answer, (body) => void change(body, request));
  };
}

function list(change: (body: any) => unknown): Answering {
  return on('/tools', (answer) => changeJson(answer, (body) => void change(body)));
}

function tools(change: (tool: any) => unknown): Answering {
  return list((body) => {
    for (const tool of [...body.items, ...body.tools]) change(tool);
  });
}

function repeatFirst(body: any): void {
  body.items.push(body.items[0]);
  body.tools.push(body.tools[0]);
}

/** Changes answers of one status to calls. */
function withStatus(status: number, change: Answering): Answering {
  return on('/tools/call', (answer, request) => {
    if (answer.status === status) change(answer, request);
  });
}

function refusals(change: Answering): Answering {
  return withStatus(400, change);
}

function inputs(change: Answering): Answering {
  return withStatus(422, change);
}

function failures(change: Answering): Answering {
  return withStatus(200, (answer, request) => {
    if (answer.body.includes('"success":false')) change(answer, request);
  });
}

/** Replaces the bodies of calls that ran. */
function calls(change: (body: any) => unknown): Answering {
  return withStatus(200, (answer) => changeJson(answer, change));
}

function results(change: (result: any) => unknown): Answering {
  return calls((body) => void change(body.result));
}

/** Changes calls on their way in; what is no call passes as it is. */
function call(change: (body: any) => unknown): Asking {
  return (request) => {
    if (request.path !== '/tools/call' || !/^\{.*"tool_id":"/.test(request.body)) return;
    const body = JSON.parse(request.body);
    change(body);
    request.body = JSON.stringify(body);
  };
}

function ids(change: (id: string) => string): Asking {
  return call(({ request }) => {
    request.tool_id = change(request.tool_id);
  });
}

function refuseLongForm(body: any): void {
  if (String(body.$schema).startsWith('https:')) body.$schema = 'urn:oxp:0.1';
}

function notFound(answer: Returning): void {
  if (answer.body.includes('NoSuchTool')) answer.status = 404;
}

function failAtNoJson(answer: Returning, { body }: Passing): void {
  if (body === '{') answer.status = 500;
}

function listErrors(answer: Returning): void {
  changeJson(answer, (body) => ({ ...body, parameter_errors: Object.keys(body.parameter_errors) }));
}

function silence(result: any): void {
  if (result.success === false) result.error = {};
}

function spoilValue(result: any): void {
  if (typeof result.value === 'number') result.value = 'many';
}

/** Runs every call anew, and answers as if it had not. */
function forgetIds(): Break {
  let sent: string | undefined;
  return {
    ask: call(({ request }) => {
      sent = request.call_id;
      delete request.call_id;
    }),
    answer: results((result) => {
      result.call_id = sent ?? result.call_id;
    }),
  };
}

function refuseBearer(answer: Returning, { headers }: Passing): void {
  if (headers.authorization !== undefined) answer.status = 401;
}

function dropKey({ headers }: Passing): void {
  delete headers['oxp-api-key'];
}

function trustBearer({ headers }: Passing): void {
  if (headers.authorization !== undefined) headers[KEY_HEADER] = 'a-key-of-the-referee';
}

function forbid(answer: Returning): void {
  if (answer.status === 401) answer.status = 403;
}
