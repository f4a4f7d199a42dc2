import {
  compareVersions,
  type JsonObject,
  TOOL_ID,
  type ToolDefinition,
  type WireRequirements,
} from '../protocol/index.ts';
import { type CompiledTool, type CompileOptions, compileTool } from './compiled-tool.ts';
import type { Effects } from './durability.ts';
import { DefinitionError, TiltyardError } from './errors.ts';
import { inlineDefinitions } from './inline-definitions.ts';
import { withPlainValues } from './plain-value.ts';
import type { Tool, ToolAnnotations, ToolRequirements } from './tool.ts';
import { DEFAULT_VERSION, type Toolkit } from './toolkit.ts';

/** One version of a toolkit's tool, compiled. */
export interface CatalogTool {
  readonly definition: ToolDefinition;
  readonly tool: CompiledTool;
  readonly requirements: ToolRequirements;
  readonly scopes: readonly string[];
  readonly canRetry: boolean;
  readonly effects: Effects;
  readonly annotations: ToolAnnotations | undefined;
}

/** The tools of one server's toolkits. */
export interface ToolkitCatalog {
  readonly tools: readonly CatalogTool[];
}

/** A tool as far as its id is concerned. */
type Published = Pick<CatalogTool, 'definition'>;

/** Finds tools by their ids. */
export interface ToolIndex<Tool extends Published> {
  /** The tool that an id means; `isVisible` hides tools as if they were not there. */
  resolve(id: string, isVisible: (tool: Tool) => boolean): Tool;
}

/** An id that names no tool: a message for users, and the detail for developers. */
export class ToolIdError extends TiltyardError {
  readonly developerMessage: string;

  constructor(message: string, developerMessage: string) {
    super('unknown_tool', message);
    this.name = 'ToolIdError';
    this.developerMessage = developerMessage;
  }
}

/** Compiles toolkits, and finds mistakes that only show when they are served together. */
export function toolkitCatalog(toolkits: readonly Toolkit[], options: CompileOptions): ToolkitCatalog {
  const tools: CatalogTool[] = [];
  const names = new Set<string>();
  for (const toolkit of toolkits) {
    if (toolkit?.kind !== 'toolkit') throw new DefinitionError('toolkits must be made with toolkit({ ... })');
    if (names.has(toolkit.name))
      throw new DefinitionError(`two toolkits are named '${toolkit.name}'. Rename one of them`);
    names.add(toolkit.name);
    for (const [name, versions] of Object.entries(toolkit.tools)) {
      for (const tool of [versions].flat()) tools.push(compile(toolkit.name, name, tool, options));
    }
  }
  assertNames(groupByBase(tools));
  return { tools };
}

/** Makes tools ready to be found by their ids. */
export function toolIndex<Tool extends Published>(tools: readonly Tool[]): ToolIndex<Tool> {
  const byBase = groupByBase(tools);
  // Callers send whole ids again and again; only these are looked up at once, so that strangers cannot fill it.
  const byId = new Map(tools.map((tool) => [tool.definition.id, tool]));
  return {
    resolve(id, isVisible) {
      const known = byId.get(id);
      return known !== undefined && isVisible(known) ? known : resolve(byBase, id, isVisible);
    },
  };
}

function compile(toolkit: string, name: string, tool: Tool, options: CompileOptions): CatalogTool {
  const { version = DEFAULT_VERSION, description = '', requirements = {} } = tool;
  const where = `toolkit '${toolkit}', tool '${name}'`;
  const compiled = compileTool(`${toolkit}_${name}`, tool, where, options);
  const inputSchema = compiled.spec.input_schema ?? { type: 'object', properties: {} };
  // Without an output schema a tool may return anything, which is not the same as nothing.
  const outputSchema = compiled.output?.jsonSchema ?? {};
  const published = toWireRequirements(requirements);
  return {
    definition: {
      id: `${toolkit}.${name}@${version}`,
      name: `${toolkit}_${name}`,
      description,
      version,
      input_schema: inlineDefinitions(inputSchema, `${where}: its input`),
      // OXP's own way to say that a tool returns nothing.
      output_schema: outputSchema.type === 'null' ? null : inlineDefinitions(outputSchema, `${where}: its output`),
      ...(Object.keys(published).length === 0 ? {} : { requirements: published }),
    },
    tool: withPlainValues(compiled),
    requirements,
    scopes: tool.scopes ?? [],
    canRetry: tool.canRetry ?? false,
    // Nothing is run again without the author's word.
    effects: tool.effects ?? 'external',
    annotations: tool.annotations,
  };
}

function toWireRequirements({ authorization, secrets, userId }: ToolRequirements): WireRequirements {
  return {
    ...(authorization === undefined
      ? {}
      : { authorization: authorization.map(({ url: _, ...published }) => published as unknown as JsonObject) }),
    ...(secrets === undefined ? {} : { secrets: secrets.map((id) => ({ id })) }),
    ...(userId ? { user_id: true } : {}),
  };
}

/** The versions of each tool, the newest first. */
type Versions<Tool extends Published> = ReadonlyMap<string, readonly Tool[]>;

function groupByBase<Tool extends Published>(tools: readonly Tool[]): Versions<Tool> {
  const byBase = new Map<string, Tool[]>();
  for (const tool of tools) {
    const base = baseOf(tool);
    byBase.set(base, [...(byBase.get(base) ?? []), tool].sort(newestFirst));
  }
  return byBase;
}

// Models call tools by these names, which do not show where the toolkit's name ends.
function assertNames(byBase: Versions<Published>): void {
  const bases = new Map<string, string>();
  for (const base of byBase.keys()) {
    const name = base.replace('.', '_');
    const other = bases.get(name);
    if (other !== undefined)
      throw new DefinitionError(`${other} and ${base} are both published as ${name}. Rename one of them`);
    bases.set(name, base);
  }
}

// Longer than any toolkit and tool name together: not worth looking up, or echoing back.
const MAX_ID_LENGTH = 200;

function resolve<Tool extends Published>(byBase: Versions<Tool>, id: string, isVisible: (tool: Tool) => boolean): Tool {
  const [, toolkit, name, version] = TOOL_ID.exec(id.slice(0, MAX_ID_LENGTH + 1)) ?? [];
  if (toolkit === undefined || id.length > MAX_ID_LENGTH) {
    const forms = 'Toolkit.Tool, Toolkit.Tool@1 or Toolkit.Tool@1.0.0';
    throw new ToolIdError('The tool id is not valid', `'${id.slice(0, MAX_ID_LENGTH)}' is not of the form ${forms}`);
  }
  const base = `${toolkit}.${name}`;
  const notFound = (detail: string) => new ToolIdError(`Tool '${toolkit}_${name}' was not found`, detail);
  const versions = byBase.get(base)?.filter(isVisible) ?? [];
  const [newest] = versions;
  if (newest === undefined) throw notFound(`${base} does not exist${nearMiss(byBase, base, isVisible)}`);
  if (version === undefined) return newest;
  const wanted = version.includes('.') ? version : `${version}.0.0`;
  const found = versions.find(({ definition }) => compareVersions(definition.version, wanted) === 0);
  if (found === undefined) {
    const available = versions.map(({ definition }) => definition.version).join(', ');
    throw notFound(`${base} version ${wanted} is not available (available: ${available})`);
  }
  return found;
}

function nearMiss<Tool extends Published>(
  byBase: Versions<Tool>,
  base: string,
  isVisible: (tool: Tool) => boolean,
): string {
  for (const [other, versions] of byBase) {
    const near = other.toLowerCase() === base.toLowerCase() && versions.some(isVisible);
    if (near) return `. Did you mean ${other}? Case counts`;
  }
  return '';
}

function baseOf({ definition }: Published): string {
  return definition.id.slice(0, definition.id.indexOf('@'));
}

function newestFirst(a: Published, b: Published): number {
  return compareVersions(b.definition.version, a.definition.version);
}
