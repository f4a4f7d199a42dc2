import type { JsonObject } from '../../protocol/index.ts';
import type { EnvironmentManifest } from '../../sessions/index.ts';
import { takesNothing } from './example.ts';
import { AFTER_CALL, AFTER_CREATE, AFTER_ID } from './links.ts';
import { arrayOf, body, json, object, only, ref } from './operation.ts';
import { environmentParameter, error, type Operations } from './ors-parts.ts';

/** What the routes about sessions do. */
export type SessionAction =
  | 'prompt'
  | 'taskTools'
  | 'call'
  | 'createSession'
  | 'create'
  | 'ping'
  | 'delete'
  | 'deleteSession'
  | 'mcp';

const SESSION: JsonObject = {
  name: 'X-Session-ID',
  in: 'header',
  required: true,
  description: 'The session.',
  schema: { type: 'string', minLength: 1, maxLength: 256, pattern: '\\S' },
};

const STATUS_OK = object({ status: only('ok') });

const SECRETS: JsonObject = {
  name: 'X-Secrets',
  in: 'header',
  description: 'More secrets, as base64 of `{"NAME": {"value": "..."}}`. Those of the body come first.',
  schema: {
    type: 'string',
    contentEncoding: 'base64',
    contentMediaType: 'application/json',
    contentSchema: { type: 'object', additionalProperties: object({ value: { type: 'string' } }) },
  },
};

const DEPLOYMENT: JsonObject = {
  name: 'X-Deployment',
  in: 'header',
  description: 'The environment, as `owner/name`, where the body does not name one.',
  schema: { type: 'string' },
};

/** The operations on sessions; the examples are about this environment. */
export function sessionOperations(environment: EnvironmentManifest): Operations<SessionAction> {
  const { name, splits } = environment;
  const env = environmentParameter(name);
  const split = splits[0]?.name ?? '';
  const anyEnvironment = {
    ...env,
    description: 'Not looked at: the session knows its environment.',
    schema: { type: 'string', minLength: 1 },
  };
  return {
    prompt: [
      '/:env/prompt',
      {
        operationId: 'prompt',
        summary: "The prompt of the session's task",
        tags: ['sessions'],
        parameters: [anyEnvironment, SESSION],
        responses: { 200: json('The prompt.', arrayOf(ref('Block'))), ...GONE },
      },
    ],
    taskTools: [
      '/:env/task_tools',
      {
        operationId: 'taskTools',
        summary: "All tools of the session's task",
        tags: ['sessions'],
        parameters: [anyEnvironment, SESSION],
        responses: { 200: json('The tools.', ref('ToolSpecs')), ...GONE },
      },
    ],
    call: [
      '/:env/call',
      {
        operationId: 'call',
        summary: 'Call a tool',
        description: CALL,
        tags: ['sessions'],
        parameters: [{ ...env, description: "The session's environment." }, SESSION],
        requestBody: body(ref('CallRequest'), callExample(environment)),
        responses: {
          200: {
            description: 'The events of the call.',
            content: { 'text/event-stream': events('CallEvents') },
            links: AFTER_CALL,
          },
          ...GONE,
          409: error('The `task_id` was used for another tool or input, and this server refuses that.'),
          429: error('The session has as many calls, or the caller as much memory, as it may. Nothing ran: try again.'),
          503: error('The server is stopping, or has no memory left. Nothing ran: try again.'),
        },
      },
    ],
    createSession: [
      '/create_session',
      {
        operationId: 'createSession',
        summary: 'An id for a session',
        description:
          'Makes no session yet: POST /create does. A body is not needed and, apart from `task_id`, not read.',
        tags: ['sessions'],
        requestBody: {
          required: false,
          content: {
            'application/json': {
              // Of any type: a body that makes no sense gets an id like any other.
              schema: {
                properties: { task_id: { description: 'An id from here that was not used: it comes again.' } },
              },
              example: {},
            },
          },
        },
        responses: {
          200: {
            description: 'The id. As events for those who prefer them to JSON.',
            content: { 'application/json': { schema: ref('SessionId') }, 'text/event-stream': events('SessionEvents') },
            links: AFTER_ID,
          },
        },
      },
    ],
    create: [
      '/create',
      {
        operationId: 'create',
        summary: 'Start a session',
        description: 'Answers before the setup of the environment has ended; what comes next waits for it.',
        tags: ['sessions'],
        parameters: [SESSION, SECRETS, DEPLOYMENT],
        requestBody: body(ref('CreateRequest'), { env_name: name, split, index: 0 }),
        responses: {
          200: { ...json('The session.', ref('SessionId')), links: AFTER_CREATE },
          429: error(
            'There are as many sessions as the server, or this caller, may have; or this caller has no memory left.',
          ),
          503: error('The server is stopping, or has no memory left.'),
        },
      },
    ],
    ping: [
      '/ping',
      {
        operationId: 'ping',
        summary: 'Keep a session alive',
        tags: ['sessions'],
        parameters: [SESSION],
        responses: { 200: json('It is alive.', STATUS_OK), 404: error('There is no such session.') },
      },
    ],
    delete: [
      '/delete',
      {
        operationId: 'delete',
        summary: 'End a session',
        description: 'Answers when the teardown of the environment has ended.',
        tags: ['sessions'],
        parameters: [SESSION],
        responses: { 200: json('It has ended.', ref('SessionId')), 404: error('There is no such session.') },
      },
    ],
    deleteSession: [
      '/delete_session',
      {
        operationId: 'deleteSession',
        summary: 'Give an id back, and end its session if there is one',
        tags: ['sessions'],
        parameters: [SESSION],
        responses: { 200: json('It is free.', ref('SessionId')) },
      },
    ],
    mcp: [
      '/:env/mcp',
      {
        operationId: 'mcpAddress',
        summary: 'An address at which an agent acts in the session over MCP',
        description:
          'Anyone who has the address can act in the session, and do nothing else; rewards are not shown there. The address ends with the session.',
        tags: ['sessions'],
        parameters: [anyEnvironment, SESSION],
        responses: {
          200: json(
            'The address, as a path of this server, and a bearer token that is good there and nowhere else.',
            object({ path: { type: 'string', pattern: '^/mcp/sessions/' }, token: { type: 'string', minLength: 22 } }),
          ),
          ...GONE,
        },
      },
    ],
  };
}

const CALL = `The events are those of the Open Reward Standard. A client that loses the connection calls again with the \
\`task_id\` of the first event: the tool does not run again. Some clients get refused calls as a result with \`ok: false\`.`;

const GONE = { 404: error('There is no such session.'), 410: error('The session has ended.') };

// OpenAPI 3.1 has no words for events; JSON Schema says what is in the text.
function events(schema: string): JsonObject {
  return { schema: { type: 'string', contentMediaType: 'text/event-stream', contentSchema: ref(schema) } };
}

function callExample({ sharedTools }: EnvironmentManifest): JsonObject | undefined {
  const tool = sharedTools.find(({ input_schema: schema }) => takesNothing(schema));
  return tool === undefined ? undefined : { name: tool.name, input: {} };
}
