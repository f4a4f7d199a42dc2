import { isObject, type JsonObject, MAX_AGENT_TOOL_NAME, mapSubschemas, TOOL_ID } from '../../../protocol/index.ts';
import { parsed } from '../json.ts';
import { insist, need, type Probe } from '../probe.ts';
import type { Answer } from '../recorder.ts';
import { callSamples, NO_SUCH_TOOL, resultIn, sendCall } from './calls.ts';
import { withoutCredentials } from './credentials.ts';
import type { OxpSubject } from './subject.ts';

/** Group O: the three endpoints and what they list. */
export const endpointProbes: readonly Probe<OxpSubject>[] = [
  {
    id: 'O1',
    group: 'Endpoints',
    level: 'specified',
    requirement: 'GET /health answers 200, and asks nobody for credentials',
    source: 'oxp-openapi.json:16-31',
    async run(subject, http) {
      const { status } = await http.ask({ method: 'GET', path: '/health', headers: withoutCredentials(subject) });
      insist(status === 200, `GET /health is answered with ${status} to a caller without credentials`);
    },
  },
  {
    id: 'O2',
    group: 'Endpoints',
    level: 'specified',
    requirement: 'GET /tools answers 200 with the tools in an array named `items` (or `tools`, as one page has it)',
    source: 'oxp-openapi.json:58-80',
    async run(_subject, http) {
      const answer = await http.ask({ method: 'GET', path: '/tools' });
      insist(answer.status === 200, `GET /tools is answered with ${answer.status}`);
      const body = parsed(answer.text);
      insist(isObject(body), 'the list is not a JSON object');
      const { items, tools } = body;
      insist(Array.isArray(items ?? tools), 'there is no array `items`');
      const isSame = items === undefined || tools === undefined || JSON.stringify(items) === JSON.stringify(tools);
      insist(isSame, '`items` and `tools` are not the same, so that clients see different tools');
    },
  },
  {
    id: 'O3',
    group: 'Endpoints',
    level: 'specified',
    requirement:
      'A listed tool has a valid id, name, description and version, and no keys that the standard does not know',
    source: 'oxp-openapi.json:204-296',
    async run({ tools }) {
      need(tools.length > 0, 'the server lists no tools');
      for (const { listed } of tools) insistDefinition(listed);
    },
  },
  {
    id: 'O4',
    group: 'Endpoints',
    level: 'hardening',
    requirement: 'Schemas of inputs and outputs are objects without references, which clients do not follow',
    source: 'oxp-openapi.json:223-240',
    async run({ tools }) {
      need(tools.length > 0, 'the server lists no tools');
      for (const { id, listed, inputSchema } of tools) {
        insist(inputSchema !== null, `${id} has no input_schema, so that nobody knows how to call it`);
        const { type } = inputSchema;
        insist(type === undefined || type === 'object', `the input_schema of ${id} does not describe an object`);
        for (const key of ['input_schema', 'output_schema']) {
          const schema = listed[key];
          insist(!isObject(schema) || !hasReference(schema), `the ${key} of ${id} has references`);
        }
      }
    },
  },
  {
    id: 'O5',
    group: 'Endpoints',
    level: 'specified',
    requirement: 'POST /tools/call takes a JSON document with the call under `request`',
    source: 'oxp-call-tool.txt:5-10',
    async run(_subject, http) {
      const answer = await sendCall(http, { tool_id: NO_SUCH_TOOL });
      const body = parsed(answer.text);
      // A tool that is not found has a message; a page that is not found has none that OXP knows.
      const isTold = isObject(body) && typeof body.message === 'string';
      insist(isTold || ![404, 405, 415, 501].includes(answer.status), `POST /tools/call gives ${answer.status}`);
      insist(body !== undefined, 'POST /tools/call is not answered with JSON');
    },
  },
  {
    id: 'O6',
    group: 'Endpoints',
    level: 'specified',
    requirement: 'A call that succeeds answers 200 with `result`: its call_id, success true, and the value',
    source: 'oxp-call-tool.txt:11-13',
    isActive: true,
    async run(subject, http) {
      const samples = await callSamples(subject, http);
      for (const { tool, answer } of samples.filter(({ answer }) => answer.status === 200)) {
        insist(typeof resultIn(answer)?.success === 'boolean', `${tool.id} is answered without \`result.success\``);
      }
      const success = samples.find(({ answer }) => resultIn(answer)?.success === true);
      need(success !== undefined, 'no listed tool succeeded with an input made from its schema');
      insistSuccess(success.answer);
    },
  },
  {
    id: 'O7',
    group: 'Endpoints',
    level: 'specified',
    requirement: 'Every version of a tool is listed under an id of its own',
    source: 'oxp-call-tool.txt:22-24',
    async run({ tools }) {
      need(tools.length > 0, 'the server lists no tools');
      const keys = tools.map(({ name, version }) => `${name}@${version}`);
      const twice = keys.find((key, at) => keys.indexOf(key) !== at);
      insist(twice === undefined, `${twice} is listed twice`);
      const other = tools.find(({ id, version }) => id.includes('@') && !id.endsWith(`@${version}`));
      insist(other === undefined, `${other?.id} says that its version is ${other?.version}`);
    },
  },
  {
    id: 'M21',
    group: 'Endpoints',
    level: 'hardening',
    requirement: `Names have at most ${MAX_AGENT_TOOL_NAME} characters, so that agents can put a prefix before them`,
    source: 'docs/mcp.md',
    advice: 'shorten it: over MCP, some agents cannot call it',
    async run({ tools }) {
      need(tools.length > 0, 'the server lists no tools');
      const long = tools.map(({ listed }) => String(listed.name)).filter((name) => name.length > MAX_AGENT_TOOL_NAME);
      insist(long.length === 0, `${long[0]} has ${long[0]?.length} characters`);
    },
  },
];

function insistSuccess(answer: Answer): void {
  const result = resultIn(answer) ?? {};
  insist(/^application\/json/.test(answer.headers['content-type'] ?? ''), 'the Content-Type is not JSON');
  insist(typeof result.call_id === 'string' && result.call_id !== '', 'the result has no call_id');
  insist('value' in result, 'the result has no value');
  const { duration } = result;
  insist(duration === undefined || (typeof duration === 'number' && duration >= 0), 'duration is not a time in ms');
}

const KEYS = ['id', 'name', 'description', 'version', 'input_schema', 'output_schema', 'requirements'];

function insistDefinition(listed: JsonObject): void {
  const { id, name, description, version, output_schema: output } = listed;
  insist(typeof id === 'string' && TOOL_ID.test(id), `${show(id)} is not a tool id such as Calculator.Add@1.0.0`);
  insist(typeof name === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(name), `${id} has the name ${show(name)}`);
  insist(typeof description === 'string', `${id} has no description`);
  insist(typeof version === 'string' && /^\d+\.\d+\.\d+$/.test(version), `${id} has the version ${show(version)}`);
  insist(output === undefined || output === null || isObject(output), `${id} has an odd output_schema`);
  const unknown = Object.keys(listed).find((key) => !KEYS.includes(key));
  insist(unknown === undefined, `${id} has the key '${unknown}', which the standard does not know`);
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

function hasReference(schema: JsonObject): boolean {
  if (['$ref', '$defs', 'definitions'].some((keyword) => keyword in schema)) return true;
  let isFound = false;
  mapSubschemas(schema, (inner) => {
    isFound ||= hasReference(inner);
    return inner;
  });
  return isFound;
}
