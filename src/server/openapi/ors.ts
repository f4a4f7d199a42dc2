import type { JsonObject } from '../../protocol/index.ts';
import type { EnvironmentManifest, Manifest } from '../../sessions/index.ts';
import { scopesFor } from '../ors/scopes.ts';
import { takesNothing } from './example.ts';
import { arrayOf, body, json, type Operation, object, type RouteDocs, ref, toRouteDocs } from './operation.ts';
import { HEALTH, METRICS, OPENAPI } from './server.ts';

/** The descriptions of the routes of the Open Reward Standard, by what the route does. */
export type OrsDocs = Readonly<Record<OrsAction, RouteDocs>>;

type OrsAction =
  | 'health'
  | 'openapi'
  | 'metrics'
  | 'version'
  | 'environments'
  | 'tools'
  | 'splits'
  | 'tasks'
  | 'numTasks'
  | 'task'
  | 'taskRange'
  | 'getTask'
  | 'getTaskRange'
  | 'requiredSecrets'
  | 'prompt'
  | 'taskTools'
  | 'call'
  | 'createSession'
  | 'create'
  | 'ping'
  | 'delete'
  | 'deleteSession';

const SPLIT = { type: 'string', description: 'The name of a split.' };
const INDEX = { type: 'integer', minimum: 0 };
const BOUND = { type: ['integer', 'null'], description: 'As in a Python slice: a negative one counts from the end.' };
const STATUS_OK = object({ status: { type: 'string', enum: ['ok'] } });
const NAMED_TASK = object({ task: ref('Task'), env_name: { type: 'string' } });
const NAMED_TASKS = object({ tasks: arrayOf(ref('Task')), env_name: { type: 'string' } });

const SESSION: JsonObject = {
  name: 'X-Session-ID',
  in: 'header',
  required: true,
  description: 'The session.',
  schema: { type: 'string', minLength: 1, maxLength: 256 },
};

const SECRETS: JsonObject = {
  name: 'X-Secrets',
  in: 'header',
  description: 'More secrets, as base64 of `{"NAME": {"value": "..."}}`. Those of the body come first.',
  schema: { type: 'string', contentEncoding: 'base64' },
};

const DEPLOYMENT: JsonObject = {
  name: 'X-Deployment',
  in: 'header',
  description: 'The environment, as `owner/name`, where the body does not name one.',
  schema: { type: 'string' },
};

/** Describes the routes, with examples that these environments take. */
export function orsDocs({ environments }: Manifest, auth: 'open' | 'guarded'): OrsDocs {
  const first = environments[0] as EnvironmentManifest;
  const { name, splits } = first;
  const describe = (route: string, operation: Operation) =>
    toRouteDocs({
      ...operation,
      responses: {
        ...operation.responses,
        ...(operation.requestBody === undefined ? {} : { 415: error('The body is not declared as JSON.') }),
        ...(auth === 'open' ? STRANGERS : operation.security !== undefined ? {} : refusals(route)),
        '4XX': error('The request cannot be met; `detail` says why.'),
        '5XX': error('The environment or the server failed.'),
      },
    });
  const env: JsonObject = {
    name: 'env',
    in: 'path',
    required: true,
    description: 'The name of an environment; case does not count.',
    schema: { type: 'string' },
    example: name,
  };
  const split = splits[0]?.name ?? '';
  const task: Operation = {
    operationId: 'task',
    summary: 'One task of a split',
    tags: ['environments'],
    parameters: [env],
    requestBody: body(object({ split: SPLIT, index: INDEX }), { split, index: 0 }),
    responses: { 200: json('The task, its answer included.', NAMED_TASK) },
  };
  const taskRange: Operation = {
    operationId: 'taskRange',
    summary: 'Some tasks of a split',
    tags: ['environments'],
    parameters: [env],
    requestBody: body(object({ split: SPLIT, start: BOUND, stop: BOUND }, ['start', 'stop']), {
      split,
      start: 0,
      stop: 1,
    }),
    responses: { 200: json('The tasks from `start` up to, but not with, `stop`.', NAMED_TASKS) },
  };
  return {
    health: describe('/health', HEALTH),
    openapi: describe('/openapi.json', OPENAPI),
    metrics: describe('/metrics', METRICS),
    version: describe('/version', {
      operationId: 'version',
      summary: 'The version of the server',
      tags: ['server'],
      responses: {
        200: json('It.', object({ version: { type: 'string' }, build_sha: { type: ['string', 'null'] } })),
      },
    }),
    environments: describe('/list_environments', {
      operationId: 'environments',
      summary: 'The environments',
      tags: ['environments'],
      responses: {
        200: json('Their names. The first is the one that requests mean that name none.', arrayOf({ type: 'string' })),
      },
    }),
    tools: describe('/:env/tools', {
      operationId: 'tools',
      summary: 'The tools that every task of an environment has',
      tags: ['environments'],
      parameters: [env],
      responses: { 200: json('The tools.', ref('ToolSpecs')) },
    }),
    splits: describe('/:env/splits', {
      operationId: 'splits',
      summary: 'The splits of an environment',
      tags: ['environments'],
      parameters: [env],
      responses: { 200: json('The splits.', arrayOf(ref('Split'))) },
    }),
    tasks: describe('/:env/tasks', {
      operationId: 'tasks',
      summary: 'All tasks of a split',
      tags: ['environments'],
      parameters: [env],
      requestBody: body(object({ split: SPLIT }), { split }),
      responses: { 200: json('The tasks, their answers included.', NAMED_TASKS) },
    }),
    numTasks: describe('/:env/num_tasks', {
      operationId: 'numTasks',
      summary: 'How many tasks a split has',
      tags: ['environments'],
      parameters: [env],
      requestBody: body(object({ split: SPLIT }), { split }),
      responses: { 200: json('The number.', object({ num_tasks: INDEX })) },
    }),
    task: describe('/:env/task', task),
    taskRange: describe('/:env/task_range', taskRange),
    getTask: describe('/:env/get_task', {
      ...task,
      operationId: 'getTask',
      summary: 'The same as /{env}/task',
      deprecated: true,
    }),
    getTaskRange: describe('/:env/get_task_range', {
      ...taskRange,
      operationId: 'getTaskRange',
      summary: 'The same as /{env}/task_range',
      deprecated: true,
    }),
    requiredSecrets: describe('/v1/environments/:owner/:name/required-secrets', {
      operationId: 'requiredSecrets',
      summary: 'The secrets that a session of an environment must be given',
      tags: ['environments'],
      parameters: [
        {
          name: 'owner',
          in: 'path',
          required: true,
          description: 'Ignored.',
          schema: { type: 'string' },
          example: 'me',
        },
        { ...env, name: 'name' },
      ],
      responses: {
        200: json('Their names.', object({ secrets: arrayOf({ type: 'string' }) })),
        404: error('There is no such environment.'),
      },
    }),
    prompt: describe('/:env/prompt', {
      operationId: 'prompt',
      summary: "The prompt of the session's task",
      tags: ['sessions'],
      parameters: [{ ...env, description: 'Not looked at: the session knows its environment.' }, SESSION],
      responses: { 200: json('The prompt.', arrayOf(ref('Block'))), ...GONE },
    }),
    taskTools: describe('/:env/task_tools', {
      operationId: 'taskTools',
      summary: "All tools of the session's task",
      tags: ['sessions'],
      parameters: [{ ...env, description: 'Not looked at: the session knows its environment.' }, SESSION],
      responses: { 200: json('The tools.', ref('ToolSpecs')), ...GONE },
    }),
    call: describe('/:env/call', {
      operationId: 'call',
      summary: 'Call a tool',
      description: CALL,
      tags: ['sessions'],
      parameters: [{ ...env, description: "The session's environment." }, SESSION],
      requestBody: body(ref('CallRequest'), callExample(first)),
      responses: {
        200: { description: 'The events of the call.', content: { 'text/event-stream': events('CallEvents') } },
        ...GONE,
        409: error('The `task_id` was used for another tool or input, and this server refuses that.'),
        429: error('The session has as many calls as it takes. Nothing ran: try again.'),
      },
    }),
    createSession: describe('/create_session', {
      operationId: 'createSession',
      summary: 'An id for a session',
      description: 'Makes no session yet: POST /create does. A body is not needed and, apart from `task_id`, not read.',
      tags: ['sessions'],
      requestBody: {
        required: false,
        content: {
          'application/json': {
            schema: object(
              { task_id: { type: 'string', description: 'An id from here that was not used: it comes again.' } },
              ['task_id'],
            ),
            example: {},
          },
        },
      },
      responses: {
        200: {
          description: 'The id. As events for those who prefer them to JSON.',
          content: { 'application/json': { schema: ref('SessionId') }, 'text/event-stream': events('SessionEvents') },
        },
      },
    }),
    create: describe('/create', {
      operationId: 'create',
      summary: 'Start a session',
      description: 'Answers before the setup of the environment has ended; what comes next waits for it.',
      tags: ['sessions'],
      parameters: [SESSION, SECRETS, DEPLOYMENT],
      requestBody: body(ref('CreateRequest'), { env_name: name, split, index: 0 }),
      responses: {
        200: json('The session.', ref('SessionId')),
        429: error('There are as many sessions as the server, or this caller, may have.'),
        503: error('The server is stopping.'),
      },
    }),
    ping: describe('/ping', {
      operationId: 'ping',
      summary: 'Keep a session alive',
      tags: ['sessions'],
      parameters: [SESSION],
      responses: { 200: json('It is alive.', STATUS_OK), 404: error('There is no such session.') },
    }),
    delete: describe('/delete', {
      operationId: 'delete',
      summary: 'End a session',
      description: 'Answers when the teardown of the environment has ended.',
      tags: ['sessions'],
      parameters: [SESSION],
      responses: { 200: json('It has ended.', ref('SessionId')), 404: error('There is no such session.') },
    }),
    deleteSession: describe('/delete_session', {
      operationId: 'deleteSession',
      summary: 'Give an id back, and end its session if there is one',
      tags: ['sessions'],
      parameters: [SESSION],
      responses: { 200: json('It is free.', ref('SessionId')) },
    }),
  };
}

const CALL = `The events are those of the Open Reward Standard. A client that loses the connection calls again with the \
\`task_id\` of the first event: the tool does not run again. Some clients get refused calls as a result with \`ok: false\`.`;

function error(description: string): JsonObject {
  return json(description, ref('Error'));
}

const GONE = { 404: error('There is no such session.'), 410: error('The session has ended.') };

// Where nobody needs a key.
const STRANGERS = {
  403: error('The request comes from a web page of another origin.'),
  421: error('The Host header does not name this server.'),
};

function refusals(route: string): Record<string, JsonObject> {
  const scopes = scopesFor(route).map((scope) => `'${scope}'`);
  return {
    401: error('There are no valid credentials.'),
    403: error(`The caller lacks the scope ${scopes.join(' or ')}.`),
  };
}

// OpenAPI 3.1 has no words for events; JSON Schema says what is in the text.
function events(schema: string): JsonObject {
  return { schema: { type: 'string', contentMediaType: 'text/event-stream', contentSchema: ref(schema) } };
}

function callExample({ sharedTools }: EnvironmentManifest): JsonObject | undefined {
  const tool = sharedTools.find(({ input_schema: schema }) => takesNothing(schema));
  return tool === undefined ? undefined : { name: tool.name, input: {} };
}
