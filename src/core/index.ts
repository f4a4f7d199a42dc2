// What authors write

// How it is made ready and run
export { type Catalog, type CatalogEnvironment, catalog } from './catalog.ts';
export type { CompiledTool } from './compiled-tool.ts';
export {
  type Block,
  type Content,
  describe,
  type ImageBlock,
  image,
  type TextBlock,
  text,
  toBlocks,
} from './content.ts';
export {
  type Environment,
  type EnvironmentDefinition,
  type EnvironmentTool,
  type EpisodeContext,
  type EpisodeToolContext,
  environment,
  type SetupContext,
  type SplitDefinition,
  type TaskInput,
  type TaskList,
  type TeardownContext,
} from './environment.ts';
// What fails
export {
  DefinitionError,
  EnvironmentError,
  type ErrorCode,
  SetupError,
  type Thrown,
  TiltyardError,
  ToolError,
  type ToolErrorOptions,
  toError,
  toText,
  toThrown,
} from './errors.ts';
export { invoke, type ToolOutcome } from './invoke.ts';
export { LazyAbort } from './lazy-abort.ts';
export { type EpisodeLog, episodeLog, type Log, redact, type Secrets, silent } from './log.ts';
export { isEmptyReturn, toToolOutput } from './output.ts';
export { formatProblems, type Problem } from './problems.ts';
export type { InputOf, OutputOf, Schema, StandardSchema } from './schema.ts';
export { isStep, type Step, type StepOptions, step } from './step.ts';
export type { TaskSource } from './tasks.ts';
export {
  type Awaitable,
  type Tool,
  type ToolContext,
  type ToolOptions,
  type ToolRequirements,
  type ToolReturn,
  tool,
} from './tool.ts';
export { type Toolkit, toolkit } from './toolkit.ts';
export { type CatalogTool, ToolIdError, type ToolkitCatalog, toolkitCatalog } from './toolkit-catalog.ts';
export { type Checked, type Validator, type ValidatorOptions, validatorOf } from './validator.ts';
// What this is
