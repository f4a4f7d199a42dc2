import type { JsonObject } from '../../protocol/index.ts';
import type { ToolManifest } from '../../sessions/index.ts';
import { takesNothing } from './example.ts';
import { body, json, type Operation, type RouteDocs, ref, toRouteDocs } from './operation.ts';
import { oxpSchemas } from './oxp-schemas.ts';
import { EVENTS, HEALTH, HOME, METRICS, OPENAPI } from './server.ts';

/** The descriptions of the routes of the Open eXecution Protocol, by what the route does. */
export type OxpDocs = Readonly<
  Record<'home' | 'health' | 'openapi' | 'metrics' | 'events' | 'tools' | 'call' | 'callAlias', RouteDocs>
>;

/** Describes the routes, with an example that these tools take. */
export function oxpDocs(tools: readonly ToolManifest[], auth: 'open' | 'guarded'): OxpDocs {
  const schemas = () => oxpSchemas(tools);
  const describe = (operation: Operation) =>
    toRouteDocs(
      {
        ...operation,
        responses: {
          ...operation.responses,
          412: error('The request names another instance of the server: nothing was done.'),
          ...(auth === 'open' ? STRANGERS : operation.security !== undefined ? {} : UNAUTHORIZED),
          '4XX': error('The request cannot be met.'),
          '5XX': error('The server failed.'),
        },
      },
      schemas,
    );
  const call: Operation = {
    operationId: 'callTool',
    summary: 'Call a tool',
    tags: ['tools'],
    requestBody: body(ref('CallToolBody'), callExample(tools)),
    responses: {
      200: json('The tool ran. `success` says whether it did what it should.', ref('CallToolAnswer')),
      400: error('The tool did not run: `message` says why, and `missing_requirements` what it needs.'),
      422: json('The input does not fit the tool.', ref('ValidationErrorResponse')),
    },
  };
  return {
    home: describe(HOME),
    health: describe(HEALTH),
    openapi: describe(OPENAPI),
    metrics: describe(METRICS),
    events: describe(EVENTS),
    tools: describe({
      operationId: 'listTools',
      summary: 'The tools that the caller may call',
      tags: ['tools'],
      responses: { 200: json('The tools, each in all its versions.', ref('ToolList')) },
    }),
    call: describe(call),
    callAlias: describe({
      ...call,
      operationId: 'callToolAlias',
      summary: 'The same as POST /tools/call',
      responses: {
        ...call.responses,
        308: { description: 'The body has no `request`, so it is for an environment: call there.' },
      },
    }),
  };
}

const UNAUTHORIZED = { 401: error('There are no valid credentials; a call may say so with 400.') };

// Where nobody needs a key.
const STRANGERS = {
  403: error('The request comes from a web page of another origin.'),
  421: error('The Host header does not name this server.'),
};

function error(description: string): JsonObject {
  return json(description, ref('ServerErrorResponse'));
}

function callExample(tools: readonly ToolManifest[]): JsonObject | undefined {
  // Only what everybody may see: the document is the same for all callers.
  const tool = tools.find(
    ({ scopes, definition: { input_schema: schema, requirements } }) =>
      scopes.length === 0 && requirements === undefined && takesNothing(schema),
  );
  return tool === undefined ? undefined : { request: { tool_id: tool.definition.id, input: {} } };
}
