import { MAX_SECRET_CHARACTERS, MAX_SECRETS, type ToolIndex, toolIndex } from '../../core/index.ts';
import { isObject, type JsonObject } from '../../protocol/index.ts';
import type { ToolManifest } from '../../sessions/index.ts';
import { object, only, ref, type Schemas, withOneOf } from './operation.ts';
import { describeCalls, type NamedTool } from './tool-calls.ts';

/** The schemas of requests to these tools. */
export function oxpSchemas(tools: readonly ToolManifest[]): Schemas {
  // Only what everybody may see: the document is the same for all callers.
  const open = tools.filter(({ scopes }) => scopes.length === 0);
  const index = toolIndex(tools);
  const named = open.map((tool) => toNamedTool(tool, idsOf(tool, index)));
  const { rules, inputs } = describeCalls(named, { key: 'tool_id', others: open.length < tools.length });
  return { CallToolRequest: withOneOf(CallToolRequest, rules), ...inputs };
}

/** All ids that mean this version of a tool, whoever asks. */
function idsOf({ definition: { id, version } }: ToolManifest, index: ToolIndex<ToolManifest>): string[] {
  const base = id.slice(0, id.indexOf('@'));
  // The newest of all, and everybody may see it: so it is the newest for everybody.
  const isNewest = index.resolve(base, () => true).definition.id === id;
  const major = /^(\d+)\.0\.0$/.exec(version)?.[1];
  return [...(isNewest ? [base] : []), ...(major === undefined ? [] : [`${base}@${major}`]), id];
}

function toNamedTool({ definition, requirements }: ToolManifest, ids: readonly string[]): NamedTool {
  const { id, input_schema: schema } = definition;
  const context = contextRules(requirements);
  // Without an input the tool gets {}; more can forbid that, but the document must not be stricter than the server.
  const needsInput = Array.isArray(schema.required) && schema.required.length > 0;
  const required = [...(needsInput ? ['input'] : []), ...(context === undefined ? [] : ['context'])];
  return {
    names: ids,
    label: id.replace('@', '.'),
    inputs: [takesAnything(schema) ? null : schema],
    ...(required.length === 0 ? {} : { rules: { properties: context === undefined ? {} : { context }, required } }),
  };
}

/** Whether a schema takes every object, as that of a tool without parameters does. */
function takesAnything(schema: JsonObject): boolean {
  return Object.keys(schema).every((keyword) => keyword === 'type' || (keyword === 'properties' && isEmpty(schema)));
}

function isEmpty({ properties }: JsonObject): boolean {
  return isObject(properties) && Object.keys(properties).length === 0;
}

/** What the context must hold for a tool that requires something. */
function contextRules({
  authorization = [],
  secrets = [],
  userId = false,
}: ToolManifest['requirements']): JsonObject | undefined {
  const properties = {
    ...(authorization.length === 0 ? {} : { authorization: withEach(authorization.map(({ id }) => id)) }),
    ...(secrets.length === 0 ? {} : { secrets: withEach(secrets) }),
    ...(userId ? { user_id: { type: 'string' } } : {}),
  };
  const required = Object.keys(properties);
  return required.length === 0 ? undefined : { properties, required };
}

function withEach(ids: readonly string[]): JsonObject {
  const rules = ids.map((id) => ({ contains: object({ id: only(id) }) }));
  return rules.length === 1 ? (rules[0] as JsonObject) : { allOf: rules };
}

function entries(key: 'token' | 'value'): JsonObject {
  const entry = object({ id: { type: 'string' }, [key]: { type: 'string', maxLength: MAX_SECRET_CHARACTERS } });
  return { type: 'array', items: entry, maxItems: MAX_SECRETS };
}

const CALL_ID = { type: 'string', minLength: 1, maxLength: 256 };

const CallToolRequest: JsonObject = {
  ...object(
    {
      call_id: {
        ...CALL_ID,
        description: 'An id for this call. A repeat of it does not run the tool again, but gets the same result.',
      },
      trace_id: CALL_ID,
      tool_id: ref('ToolId'),
      input: { type: 'object', description: 'What the `input_schema` of the tool asks for.' },
      context: object({ authorization: entries('token'), secrets: entries('value'), user_id: { type: 'string' } }, [
        'authorization',
        'secrets',
        'user_id',
      ]),
    },
    ['call_id', 'trace_id', 'input', 'context'],
  ),
  additionalProperties: false,
};
