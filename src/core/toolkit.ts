import { DefinitionError } from './errors.ts';
import { assertTool, type Tool } from './tool.ts';

/** The version of a tool that says none. */
export const DEFAULT_VERSION = '1.0.0';

/** Tools published together under one name; each entry is a tool, or its versions. */
export interface Toolkit {
  readonly kind: 'toolkit';
  readonly name: string;
  readonly tools: Readonly<Record<string, Tool<any, any> | readonly Tool<any, any>[]>>;
}

/** Defines a toolkit: tools that can be called without an episode. */
export function toolkit(definition: Omit<Toolkit, 'kind'>): Toolkit {
  const { name, tools } = definition;
  const where = `toolkit '${name}'`;
  assertOxpName(name, 'a toolkit');
  if (Object.keys(tools ?? {}).length === 0)
    throw new DefinitionError(`${where} has no tools. Add at least one to \`tools\``);
  for (const [toolName, versions] of Object.entries(tools)) {
    assertOxpName(toolName, `${where}: a tool`);
    const seen = new Set<string>();
    for (const each of [versions].flat()) {
      assertTool(each, `${where}, tool '${toolName}'`);
      const version = each.version ?? DEFAULT_VERSION;
      if (seen.has(version))
        throw new DefinitionError(`${where} has ${toolName}@${version} twice. Give each its own version`);
      seen.add(version);
    }
  }
  return Object.freeze({ ...definition, kind: 'toolkit' });
}

function assertOxpName(name: unknown, what: string): void {
  if (typeof name !== 'string' || !/^[A-Za-z0-9_]{1,64}$/.test(name)) {
    throw new DefinitionError(`${what} needs a name of letters, digits and _, not ${JSON.stringify(name)}`);
  }
}
