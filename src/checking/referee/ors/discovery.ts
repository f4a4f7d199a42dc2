import { isObject } from '../../../protocol/index.ts';
import { insist, need, type Probe } from '../probe.ts';
import type { Answer, Ask, Recorder } from '../recorder.ts';
import { arrayOf, insistStatus, objectOf } from './answers.ts';
import { inGroup } from './group.ts';
import { nameOf, taskRequests, UNKNOWN } from './requests.ts';
import { baseOf, type OrsSubject } from './subject.ts';

const MAX_ENVIRONMENTS = 20;
const SPLIT_TYPES: readonly unknown[] = ['train', 'validation', 'test'];

/** Group D, first half: what the server has. Tasks are in tasks.ts. */
export const discoveryProbes: readonly Probe<OrsSubject>[] = inGroup('Discovery', [
  {
    id: 'D1',
    level: 'specified',
    requirement: 'GET /health is 200 `{"status":"ok"}`.',
    source: 'ors-http-api.txt:22-30',
    async run(_subject, http) {
      const body = objectOf(await http.ask({ method: 'GET', path: '/health' }), 'GET /health');
      insist(body.status === 'ok', '`status` must be "ok"');
    },
  },
  {
    id: 'D2',
    level: 'specified',
    requirement: 'GET /list_environments is an array of names, and each works in a path.',
    source: 'ors-http-api.txt:32-42',
    async run(_subject, http) {
      const names = arrayOf(await http.ask({ method: 'GET', path: '/list_environments' }), 'GET /list_environments');
      insist(names.length > 0, 'there must be an environment');
      for (const name of names.slice(0, MAX_ENVIRONMENTS)) {
        insist(typeof name === 'string' && name !== '', 'every name must be a string with something in it');
        insistStatus(await http.ask({ method: 'GET', path: `${baseOf(name)}/tools` }), 200, `GET /${name}/tools`);
      }
    },
  },
  {
    id: 'D3',
    level: 'interop',
    requirement: 'Environments are listed in lower case and found in any case.',
    source: 'ors-sdk 0.1.0 server.py:34,41',
    async run({ environment }, http) {
      insist(environment === environment.toLowerCase(), `'${environment}' must be listed in lower case`);
      const path = `${baseOf(environment.toUpperCase())}/tools`;
      insistStatus(await http.ask({ method: 'GET', path }), 200, `GET ${path}`);
    },
  },
  {
    id: 'D5',
    level: 'specified',
    requirement: 'GET /{env}/tools is `{"tools":[...]}`, without a session.',
    source: 'ors-http-api.txt:44-75, ors-tools.txt:29',
    run: (subject, http) => lookAtTools(subject, http, () => {}),
  },
  {
    id: 'D6',
    level: 'specified',
    requirement: 'Every tool has `name`, `description` and `input_schema`; the latter is null if it takes nothing.',
    source: 'ors-tools.txt:61-64, ors-data-types.txt:95',
    run: (subject, http) =>
      lookAtTools(subject, http, (tool, what) => {
        for (const key of ['name', 'description', 'input_schema']) insist(key in tool, `${what} must have \`${key}\``);
        insist(typeof tool.name === 'string' && tool.name !== '', `the name of ${what} must be a string`);
        const { input_schema: schema } = tool;
        insist(schema === null || isObject(schema), `\`input_schema\` of ${what} must be an object or null`);
      }),
  },
  {
    id: 'D7',
    level: 'interop',
    requirement: 'A tool has no further keys: official clients break on them.',
    source: 'ors-sdk 0.1.0 environment.py:195',
    run: (subject, http) =>
      lookAtTools(subject, http, (tool, what) => {
        const further = Object.keys(tool).filter((key) => !['name', 'description', 'input_schema'].includes(key));
        insist(further.length === 0, `${what} has ${further.map((key) => `\`${key}\``).join(', ')} besides`);
      }),
  },
  {
    id: 'D8',
    level: 'specified',
    requirement: 'The description of a tool is a string, never null.',
    source: 'ors-data-types.txt:89',
    run: (subject, http) =>
      lookAtTools(subject, http, (tool, what) => {
        insist(typeof tool.description === 'string', `\`description\` of ${what} must be a string`);
      }),
  },
  {
    id: 'D9',
    level: 'specified',
    requirement: 'An input_schema is a JSON Schema of an object.',
    source: 'ors-tools.txt:66-95',
    run: (subject, http) =>
      lookAtTools(subject, http, ({ input_schema: schema }, what) => {
        if (!isObject(schema)) return;
        const problem = subject.schemas.problem(schema as never);
        insist(problem === undefined, `\`input_schema\` of ${what} is not valid JSON Schema: ${problem}`);
        insist(
          schema.type === undefined || schema.type === 'object',
          `\`input_schema\` of ${what} must be of an object`,
        );
      }),
  },
  {
    id: 'D10',
    level: 'specified',
    requirement: 'An unknown environment is 404, also after redirects.',
    source: 'ors-http-api.txt:73,97,130,150,175,202',
    async run(_subject, http) {
      for (const ask of unknownEnvironment()) insistStatus(await follow(http, ask), 404, nameOf(ask));
    },
  },
  {
    id: 'D11',
    level: 'specified',
    requirement: 'GET /{env}/splits is a bare array of `{name, type}`; the type is train, validation or test.',
    source: 'ors-http-api.txt:77-95, ors-data-types.txt:267-281',
    async run({ environments }, http) {
      for (const environment of environments.slice(0, MAX_ENVIRONMENTS)) {
        const path = `${baseOf(environment)}/splits`;
        for (const split of arrayOf(await http.ask({ method: 'GET', path }), `GET ${path}`)) {
          insist(isObject(split) && typeof split.name === 'string', 'every split must be an object with a `name`');
          insist(
            SPLIT_TYPES.includes(split.type),
            `\`type\` of split '${split.name}' must be train, validation or test`,
          );
        }
      }
    },
  },
]);

/** The requests of discovery for an environment that there is not. */
export function unknownEnvironment(): Ask[] {
  const base = baseOf(UNKNOWN);
  return [
    { method: 'GET', path: `${base}/tools` },
    { method: 'GET', path: `${base}/splits` },
    ...taskRequests({ base }, { split: 'train' }),
  ];
}

const MAX_REDIRECTS = 5;

/** Asks, and goes where redirects on the same server lead. */
export async function follow(http: Recorder, ask: Ask): Promise<Answer> {
  let answer = await http.ask(ask);
  for (let hop = 0; hop < MAX_REDIRECTS && answer.status >= 300 && answer.status < 400; hop += 1) {
    const { location } = answer.headers;
    need(location !== undefined && /^\/(?!\/)/.test(location), 'a redirect leads to another server');
    answer = await http.ask({ ...ask, path: location });
  }
  return answer;
}

type Look = (tool: Record<string, unknown>, what: string) => void;

async function lookAtTools({ environments }: OrsSubject, http: Recorder, look: Look): Promise<void> {
  need(environments.length > 0, 'no environment is listed');
  for (const environment of environments.slice(0, MAX_ENVIRONMENTS)) {
    const path = `${baseOf(environment)}/tools`;
    const { tools } = objectOf(await http.ask({ method: 'GET', path }), `GET ${path}`);
    insist(Array.isArray(tools), '`tools` must be an array');
    for (const [index, tool] of tools.entries()) {
      insist(isObject(tool), `tool ${index} must be an object`);
      look(tool, `tool '${tool.name ?? index}'`);
    }
  }
}
