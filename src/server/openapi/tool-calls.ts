import type { JsonObject } from '../../protocol/index.ts';
import { toComponent } from './author-schema.ts';
import { only, ref } from './operation.ts';

/** A tool that calls can name. */
export interface NamedTool {
  /** All that it is called by. */
  readonly names: readonly string[];
  /** What the component of its input is named after. */
  readonly label: string;
  /** What its input must fit: one of these, because tools of several environments can share a name; null is any object. */
  readonly inputs: readonly (JsonObject | null)[];
  /** What else its calls need. */
  readonly rules?: { readonly properties: JsonObject; readonly required: readonly string[] };
}

/** What is said about the tools of a server. */
export interface CallSchemas {
  /** Which input goes with which tool: a call fits one of these. */
  readonly rules: readonly JsonObject[];
  /** The inputs, as components. */
  readonly inputs: Record<string, JsonObject>;
}

interface CallOptions {
  /** The key of a call that names the tool. */
  readonly key: 'name' | 'tool_id';
  /** Whether there are tools that are not named here. */
  readonly others: boolean;
}

// How many characters of inputs the document has room for. The tools whose inputs find none are only named.
const INPUT_ROOM = 256 * 1024;

/** Describes the calls of tools. */
export function describeCalls(tools: readonly NamedTool[], { key, others }: CallOptions): CallSchemas {
  const inputs: Record<string, JsonObject> = {};
  const branches: JsonObject[] = [];
  const plain: string[] = [];
  let room = INPUT_ROOM;
  for (const { names, label, inputs: schemas, rules } of tools) {
    const components = toComponents(schemas, label);
    const size = JSON.stringify(components).length;
    const fits = components.length > 0 && size <= room;
    if (fits) {
      room -= size;
      Object.assign(inputs, Object.fromEntries(components));
    } else if (rules === undefined) {
      plain.push(...names);
      continue;
    }
    const refs = components.map(([name]) => ref(name));
    const input = fits ? { input: refs.length === 1 ? (refs[0] as JsonObject) : { anyOf: refs } } : {};
    branches.push({
      properties: { [key]: only(...names), ...input, ...rules?.properties },
      required: [key, ...(rules?.required ?? [])],
    });
  }
  if (plain.length > 0) branches.push({ properties: { [key]: only(...plain) }, required: [key] });
  const known = tools.flatMap(({ names }) => names);
  if (others && known.length > 0) branches.push({ properties: { [key]: { not: { enum: known } } }, required: [key] });
  return { rules: branches, inputs };
}

/** The inputs under names of their own; none where one of them can be any object, or cannot be told. */
function toComponents(inputs: NamedTool['inputs'], label: string): [name: string, schema: JsonObject][] {
  const components: [string, JsonObject][] = [];
  for (const [at, input] of inputs.entries()) {
    const name = at === 0 ? `Input.${label}` : `Input.${label}.${at + 1}`;
    const component = input === null ? undefined : toComponent(input, name);
    if (component === undefined) return [];
    components.push([name, component]);
  }
  return components;
}
