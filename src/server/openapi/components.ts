import type { JsonObject } from '../../protocol/index.ts';
import { arrayOf, object, only, ref, type Schemas } from './operation.ts';

const TEXT = { type: 'string' };
const OBJECT = { type: 'object' };
const OBJECT_OR_NULL = { type: ['object', 'null'] };

/** An event of a stream, as parsers of server-sent events give it. */
const event = (name: string, data: JsonObject): JsonObject => object({ event: only(name), data });

/** The schemas of what travels over the Open Reward Standard. */
const ORS_SCHEMAS: Schemas = {
  Error: {
    ...object({ detail: { ...TEXT, minLength: 1 }, code: TEXT }, ['code']),
    description: 'What was wrong: `detail` for people, `code` for programs.',
  },
  TextBlock: object({ type: only('text'), text: TEXT, detail: OBJECT_OR_NULL }),
  ImageBlock: object({
    type: only('image'),
    data: { ...TEXT, contentEncoding: 'base64' },
    mimeType: TEXT,
    detail: OBJECT_OR_NULL,
  }),
  Block: { oneOf: [ref('TextBlock'), ref('ImageBlock')] },
  ToolSpec: {
    ...object({
      name: TEXT,
      description: TEXT,
      input_schema: { ...OBJECT_OR_NULL, description: 'The JSON Schema of the input; null for a tool without any.' },
    }),
    additionalProperties: false,
  },
  ToolSpecs: object({ tools: arrayOf(ref('ToolSpec')) }),
  Split: object({ name: TEXT, type: only('train', 'validation', 'test') }),
  Task: { ...OBJECT, description: 'A task, as its environment defines it.' },
  SessionId: object({ sid: { ...TEXT, minLength: 1 } }),
  ToolOutput: object({
    blocks: { ...arrayOf(ref('Block')), minItems: 1 },
    metadata: OBJECT_OR_NULL,
    reward: { type: ['number', 'null'] },
    finished: { type: 'boolean' },
  }),
  RunToolResult: {
    oneOf: [
      object({ ok: { const: true }, output: ref('ToolOutput') }),
      object({ ok: { const: false }, error: TEXT, reason: TEXT }, ['reason']),
    ],
  },
  CallEvents: {
    ...arrayOf({
      oneOf: [
        event('task_id', TEXT),
        event('chunk', TEXT),
        event('end', {
          ...TEXT,
          description: 'The result; where `chunk` events came before it, the rest of their text.',
          contentMediaType: 'application/json',
          contentSchema: ref('RunToolResult'),
        }),
        event('error', TEXT),
      ],
    }),
    description: '`task_id` first, then any number of `chunk` and one `end`; or `error`, which ends the stream.',
  },
  SessionEvents: arrayOf({
    oneOf: [
      event('task_id', TEXT),
      event('end', { ...TEXT, contentMediaType: 'application/json', contentSchema: ref('SessionId') }),
    ],
  }),
};

const URN = { ...TEXT, examples: ['urn:oxp:1.0'] };
// Also the long form of the same, as `isSupportedSchema` takes it.
const SUPPORTED = { ...URN, pattern: '^(urn:oxp:1\\.0|https?://\\S+/spec/http/1\\.0/openapi\\.json)$' };
const idAnd = (key: string): JsonObject => arrayOf(object({ id: TEXT, [key]: TEXT }));

/** The schemas of what travels over the Open eXecution Protocol. */
const OXP_SCHEMAS: Schemas = {
  ToolId: {
    ...TEXT,
    pattern: '^[A-Za-z0-9_]+\\.[A-Za-z0-9_]+(@([0-9]+|[0-9]+\\.[0-9]+\\.[0-9]+))?$',
    description: '`Toolkit.Tool` for the newest version, `Toolkit.Tool@1` for 1.0.0, or `Toolkit.Tool@1.2.3`.',
  },
  ToolDefinition: {
    ...object(
      {
        id: ref('ToolId'),
        name: { ...TEXT, pattern: '^[A-Za-z0-9_-]{1,64}$' },
        description: TEXT,
        version: { ...TEXT, pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' },
        input_schema: OBJECT,
        output_schema: OBJECT_OR_NULL,
        requirements: object(
          {
            authorization: arrayOf(object({ id: TEXT, oauth2: OBJECT }, ['oauth2'])),
            secrets: arrayOf(object({ id: TEXT })),
            user_id: { type: 'boolean' },
          },
          ['authorization', 'secrets', 'user_id'],
        ),
      },
      ['requirements'],
    ),
    additionalProperties: false,
  },
  ToolList: {
    ...object({ $schema: URN, items: arrayOf(ref('ToolDefinition')), tools: arrayOf(ref('ToolDefinition')) }),
    description: 'The same list under both keys: some clients read the one, some the other.',
  },
  CallToolBody: object({ $schema: SUPPORTED, request: ref('CallToolRequest') }, ['$schema']),
  ToolError: object(
    {
      message: { ...TEXT, description: 'For the user and the model.' },
      developer_message: TEXT,
      can_retry: { type: 'boolean' },
      additional_prompt_content: TEXT,
      retry_after_ms: { type: 'integer' },
    },
    ['developer_message', 'can_retry', 'additional_prompt_content', 'retry_after_ms'],
  ),
  CallToolResult: {
    ...object({ call_id: TEXT, duration: { type: 'number', description: 'In milliseconds.' } }),
    oneOf: [
      object({ success: { const: true }, value: { description: 'What the tool returned.' } }),
      object({ success: { const: false }, error: ref('ToolError') }),
    ],
    unevaluatedProperties: false,
  },
  CallToolAnswer: object({ $schema: URN, result: ref('CallToolResult') }),
  ServerErrorResponse: object(
    {
      $schema: URN,
      message: TEXT,
      developer_message: TEXT,
      missing_requirements: object(
        {
          authorization: idAnd('url'),
          secrets: arrayOf(object({ id: TEXT })),
          user_id: { type: 'boolean' },
        },
        ['authorization', 'secrets', 'user_id'],
      ),
    },
    ['developer_message', 'missing_requirements'],
  ),
  ValidationErrorResponse: object({
    $schema: URN,
    message: TEXT,
    parameter_errors: { ...OBJECT, additionalProperties: TEXT, description: 'A message for each parameter.' },
  }),
};

/** The schemas that are the same on every server, by name. */
export const SCHEMAS: Schemas = { ...ORS_SCHEMAS, ...OXP_SCHEMAS };
