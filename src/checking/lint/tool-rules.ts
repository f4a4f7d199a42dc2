import { slowPatterns } from '../../core/index.ts';
import { isObject, type JsonObject, MAX_AGENT_TOOL_NAME, type ToolSpec } from '../../protocol/index.ts';
import { readEpisodes } from './prompt-rules.ts';
import type { Rule } from './rule.ts';
import { firstReading, type Sample } from './sample.ts';

/** What is wrong with the tools, as a model reads them. */
export const toolRules: readonly Rule[] = [
  {
    id: 'env/tool-name',
    level: 'interop',
    requirement: 'Tools have names that model providers accept: 1 to 64 letters, digits, _ and -',
    advice: 'use 1 to 64 letters, digits, `_` and `-`',
    problems: (sample) =>
      toolsOf(sample)
        .filter(({ name }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
        .map(({ name }) => `no provider takes the name '${name}'`),
  },
  {
    id: 'env/long-tool-name',
    level: 'hardening',
    requirement: `Tools have names of at most ${MAX_AGENT_TOOL_NAME} characters, so that agents can put a prefix before them`,
    advice: 'shorten it: over MCP, some agents cannot call it',
    problems: (sample) =>
      toolsOf(sample)
        .filter(({ name }) => name.length > MAX_AGENT_TOOL_NAME && name.length <= 64)
        .map(({ name }) => `'${name}' has ${name.length} characters`),
  },
  {
    id: 'env/tool-description',
    level: 'hardening',
    requirement: 'Every tool says what it does',
    advice: 'say what it does, and whether it ends the episode',
    problems: (sample) =>
      toolsOf(sample)
        .filter(({ description }) => description.trim() === '')
        .map(({ name }) => `'${name}' has no description`),
  },
  {
    id: 'env/parameter-description',
    level: 'hardening',
    requirement: "Every parameter is described: by itself, or by the tool's description where there is only one",
    advice: "describe it: `.describe('the number only, such as 72')`",
    problems: (sample) =>
      toolsOf(sample).flatMap((tool) => {
        const parameters = parametersOf(tool);
        const isTold = parameters.length === 1 && tool.description.trim() !== '';
        return isTold ? [] : parameters.filter(([, schema]) => !isDescribed(schema)).map(([name]) => show(tool, name));
      }),
  },
  {
    id: 'env/tool-schema',
    level: 'interop',
    requirement: 'A schema is that of an object, and what it requires is among its properties',
    advice: 'fix the schema; it misleads models',
    problems: (sample) => toolsOf(sample).flatMap(schemaProblems),
  },
  {
    id: 'env/slow-pattern',
    level: 'hardening',
    requirement: 'No pattern takes far longer for some texts than for others of the same length',
    advice: 'rewrite it so that no text matches in two ways, or check the text in the tool',
    problems: (sample) => toolsOf(sample).flatMap(patternProblems),
  },
];

function toolsOf(sample: Sample): ToolSpec[] {
  const tools = readEpisodes(sample).flatMap((episode) => firstReading(episode)?.tools ?? []);
  return [...new Map(tools.map((tool) => [JSON.stringify(tool), tool])).values()];
}

function parametersOf({ input_schema: schema }: ToolSpec): [name: string, schema: unknown][] {
  return isObject(schema) && isObject(schema.properties) ? Object.entries(schema.properties) : [];
}

function isDescribed(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { description } = schema;
  return typeof description === 'string' && description.trim() !== '';
}

function show({ name: tool }: ToolSpec, parameter: string): string {
  return `the parameter '${parameter}' of '${tool}' has no description`;
}

function patternProblems({ name, input_schema: schema }: ToolSpec): string[] {
  if (schema === null) return [];
  return slowPatterns(schema).map(
    ({ parameter, pattern, growth }) => `the pattern ${pattern} of '${parameter}' in '${name}' can take ${growth} time`,
  );
}

function schemaProblems(tool: ToolSpec): string[] {
  const schema: JsonObject | null = tool.input_schema;
  if (schema === null) return [];
  if (schema.type !== 'object') return [`the schema of '${tool.name}' is not that of an object`];
  const { required = [] } = schema;
  if (!Array.isArray(required)) return [`\`required\` of '${tool.name}' is not a list`];
  const names = parametersOf(tool).map(([name]) => name);
  const unknown = required.filter((name) => !names.includes(name as string));
  const twice = required.filter((name, at) => required.indexOf(name) !== at);
  return [
    ...unknown.map((name) => `'${tool.name}' requires '${name}', which is not among its properties`),
    ...twice.map((name) => `'${tool.name}' requires '${name}' twice`),
  ];
}
