import { isObject, type JsonObject, type JsonValue } from '../../../protocol/index.ts';
import type { ForeignSchemas } from '../../foreign/foreign-schemas.ts';
import { parsed } from '../json.ts';
import type { Answer, Recorder } from '../recorder.ts';

/** What the probes of OXP know of a server. */
export interface OxpSubject {
  /** What it lists, in its order. */
  readonly tools: readonly ListedTool[];
  /** Evaluates their schemas. */
  readonly schemas: ForeignSchemas;
  /** The headers that carry credentials; the recorder sends them by itself, and some probes leave them out. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** A tool as a server lists it; what is missing there is empty here, for the probes to complain about. */
export interface ListedTool {
  /** As listed, with the version if the server puts it there. */
  readonly id: string;
  /** Without the version. */
  readonly name: string;
  readonly version: string;
  readonly inputSchema: JsonObject | null;
  readonly outputSchema: JsonObject | null;
  /** An input that its schema allows, if one could be made. */
  readonly input: JsonObject | undefined;
  /** Whether it wants something of its caller: secrets, an authorization, a user. */
  readonly hasRequirements: boolean;
  /** The whole entry. */
  readonly listed: JsonObject;
}

/** Whether a server speaks OXP, in the standard's form or in that of LangChain's tool server. */
export async function detectOxp(http: Recorder): Promise<boolean> {
  const answer = await http.ask({ method: 'GET', path: '/tools' });
  const entries = answer.status === 200 ? entriesOf(answer) : undefined;
  if (entries !== undefined) {
    // Environments of ORS have tools, too, but not with ids.
    return entries.length > 0 ? entries.every((entry) => typeof entry.id === 'string') : isOfOxp(answer);
  }
  return [400, 401, 403].includes(answer.status) && isOfOxp(answer);
}

/** Looks at a server before it is probed. */
export async function oxpSubject(
  http: Recorder,
  schemas: ForeignSchemas,
  credentials: Readonly<Record<string, string>> = {},
): Promise<OxpSubject> {
  const answer = await http.ask({ method: 'GET', path: '/tools' });
  const tools = (entriesOf(answer) ?? []).map((entry) => toTool(entry, schemas));
  return { tools, schemas, credentials };
}

function isOfOxp(answer: Answer): boolean {
  const body = parsed(answer.text);
  return isObject(body) && typeof body.$schema === 'string' && body.$schema.includes('oxp');
}

function entriesOf(answer: Answer): JsonObject[] | undefined {
  const body = parsed(answer.text);
  const list = isObject(body) ? (body.items ?? body.tools) : body;
  return Array.isArray(list) ? list.filter((entry): entry is JsonObject => isObject(entry)) : undefined;
}

function toTool(listed: JsonObject, schemas: ForeignSchemas): ListedTool {
  const id = typeof listed.id === 'string' ? listed.id : '';
  const [name = '', version = ''] = id.split('@');
  const inputSchema = toParameters(listed.input_schema);
  return {
    id,
    name,
    version: typeof listed.version === 'string' ? listed.version : version,
    inputSchema,
    outputSchema: isObject(listed.output_schema) ? listed.output_schema : null,
    input: schemas.input(inputSchema),
    hasRequirements: isObject(listed.requirements) && Object.keys(listed.requirements).length > 0,
    listed,
  };
}

// One page of the specification puts the schema one level deeper than the others.
function toParameters(schema: JsonValue | undefined): JsonObject | null {
  if (!isObject(schema)) return null;
  return isObject(schema.parameters) && schema.type === undefined ? schema.parameters : schema;
}
