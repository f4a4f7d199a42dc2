import type { ToolSpec } from '../protocol/index.ts';
import { type Check, toInputCheck, toOutputCheck } from './check.ts';
import { DEFAULT_LIMITS } from './limit-values.ts';
import type { Limits } from './limits.ts';
import type { OutputLimits } from './output-limits.ts';
import { assertGiven } from './requirements.ts';
import { assertObjectSchema } from './schema.ts';
import type { Awaitable, Tool, ToolContext } from './tool.ts';
import type { Checked, ValidatorOptions } from './validator.ts';

/** A tool that is ready to run: schemas compiled, defaults filled in. */
export interface CompiledTool extends OutputLimits {
  readonly name: string;
  readonly spec: ToolSpec;
  readonly shared: boolean;
  readonly concurrent: boolean;
  readonly timeoutMs: number | undefined;
  readonly output: Check | undefined;
  /** Checks an input, of so many characters of JSON if that is known; takes ownership of it. */
  prepare(input: unknown, characters?: number): Awaitable<Checked>;
  run(input: unknown, context: ToolContext): unknown;
}

/** How tools and tasks are compiled. */
export interface CompileOptions extends ValidatorOptions {
  /** For tools that set no limits of their own. Default: the server's defaults. */
  readonly limits?: Limits;
}

const NO_INPUT: Checked = { ok: true, value: Object.freeze({}) };

/** Compiles a tool; `where` names it in the message of a DefinitionError. */
export function compileTool(name: string, tool: Tool, where: string, options: CompileOptions): CompiledTool {
  const { toolTimeoutMs, maxOutputBytes, maxImageBytes } = options.limits ?? DEFAULT_LIMITS;
  const input = tool.input === undefined ? undefined : toInputCheck(tool.input, `${where}: its input`, options);
  if (input !== undefined) assertObjectSchema(input.jsonSchema, `${where}: its input`);
  return {
    name,
    spec: { name, description: tool.description ?? '', input_schema: input?.jsonSchema ?? null },
    shared: tool.shared ?? true,
    concurrent: tool.concurrent ?? false,
    timeoutMs: tool.timeoutMs ?? (toolTimeoutMs === 0 ? undefined : toolTimeoutMs),
    maxOutputBytes: tool.maxOutputBytes ?? maxOutputBytes,
    maxImageBytes,
    output: tool.output === undefined ? undefined : toOutputCheck(tool.output, `${where}: its output`),
    prepare: input === undefined ? () => NO_INPUT : input.check,
    run: toRun(tool),
  };
}

function toRun(tool: Tool): CompiledTool['run'] {
  const { requirements } = tool;
  if (requirements === undefined) return tool.run.bind(tool) as CompiledTool['run'];
  return (value, context) => {
    assertGiven(requirements, context);
    return tool.run(value as never, context);
  };
}
