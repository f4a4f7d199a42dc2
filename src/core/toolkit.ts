import { isObject } from '../protocol/index.ts';
import { withPlace } from './definition-order.ts';
import { DefinitionError } from './errors.ts';
import { assertKnownKeys } from './known-keys.ts';
import { assertDefinition } from './rules.ts';
import type { Tool } from './tool.ts';
import { assertTool } from './tool-rules.ts';

/** The version of a tool that says none. */
export const DEFAULT_VERSION = '1.0.0';

/** Tools by name; each entry is a tool, or its versions. */
export type ToolMap = Readonly<Record<string, Tool<any, any> | readonly Tool<any, any>[]>>;

/** Tools published together under one name. Its types say what a client may send and what it gets. */
export interface Toolkit<Name extends string = string, Tools extends ToolMap = ToolMap> {
  readonly kind: 'toolkit';
  readonly name: Name;
  readonly tools: Tools;
}

/** Defines a toolkit: tools that can be called without an episode. */
export function toolkit<Name extends string, Tools extends ToolMap>(
  definition: Omit<Toolkit<Name, Tools>, 'kind'>,
): Toolkit<Name, Tools> {
  assertDefinition(definition, 'toolkit', '{ name, tools }');
  const { name, tools } = definition;
  const where = typeof name === 'string' ? `toolkit '${name}'` : 'toolkit()';
  // Before anything is missed: a misspelt key is most often the one that is missing.
  assertKnownKeys(definition, KEYS, where);
  assertOxpName(name, 'a toolkit');
  if (!isObject(tools) || Object.keys(tools).length === 0)
    throw new DefinitionError(`${where} has no tools. Add at least one to \`tools\`, by its name: { Add: add }`);
  for (const [toolName, versions] of Object.entries(tools)) {
    assertOxpName(toolName, `${where}: a tool`);
    assertPublishable(`${name}_${toolName}`, where);
    const all = [versions].flat();
    if (all.length === 0) throw new DefinitionError(`${where}, tool '${toolName}' has no versions. Add at least one`);
    const seen = new Set<string>();
    for (const each of all) {
      assertTool(each, `${where}, tool '${toolName}'`);
      const version = each.version ?? DEFAULT_VERSION;
      if (seen.has(version))
        throw new DefinitionError(`${where} has ${toolName}@${version} twice. Give each its own version`);
      seen.add(version);
      if (each.effects === 'state')
        throw new DefinitionError(
          `${where}, tool '${toolName}': effects cannot be 'state', since a call outside an episode has none. Write 'idempotent' if it may be run twice, otherwise 'external'`,
        );
    }
  }
  return Object.freeze(withPlace({ ...definition, kind: 'toolkit' as const }));
}

// `kind` is there when a definition is made from another toolkit.
const KEYS = ['name', 'tools', 'kind'];

// Model providers take no longer names of tools, nor does OXP.
function assertPublishable(name: string, where: string): void {
  if (name.length > 64)
    throw new DefinitionError(
      `${where}: the name ${name} has ${name.length} characters; the maximum is 64. Shorten it`,
    );
}

function assertOxpName(name: unknown, what: string): void {
  if (typeof name !== 'string' || !/^[A-Za-z0-9_]{1,64}$/.test(name)) {
    throw new DefinitionError(`${what} needs a name of letters, digits and _, not ${JSON.stringify(name)}`);
  }
}
