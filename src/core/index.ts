export {
  CALL_OUTCOMES,
  type CallOutcome,
  cutText,
  EPISODE_OUTCOMES,
  type EpisodeOutcome,
  type Outcome,
} from '../protocol/index.ts';
export { toCanonical } from './canonical.ts';
export { type Catalog, type CatalogEnvironment, catalog, environmentFinder } from './catalog.ts';
export type { CompiledTool } from './compiled-tool.ts';
export {
  type Block,
  type Content,
  describe,
  type ImageBlock,
  image,
  isContent,
  type TextBlock,
  text,
} from './content.ts';
export { tool } from './define-tool.ts';
export { isTooDeep } from './depth.ts';
export type { Durability, Effects } from './durability.ts';
export {
  assertEnvironmentName,
  type Environment,
  type EnvironmentDefinition,
  type EnvironmentRequirements,
  type EnvironmentTool,
  type EpisodeContext,
  type EpisodeToolContext,
  environment,
  type PromptContext,
  type RestoreContext,
  type SaveContext,
  type SavedState,
  type SetupContext,
  type TaskInput,
  type TaskSchema,
  type TeardownContext,
} from './environment.ts';
export {
  type AuthorsErrorCode,
  DefinitionError,
  EnvironmentError,
  type ErrorCode,
  SetupError,
  type Thrown,
  TiltyardError,
  ToolError,
  type ToolErrorOptions,
  toError,
  toOutcome,
  toThrown,
} from './errors.ts';
export { type Failure, toFailure, toFailureError } from './failure.ts';
export { FewMap } from './few-map.ts';
export { invoke, type ToolEnding } from './invoke.ts';
export { isRunning, isStillRunning, startOf } from './is-running.ts';
export { assertKnownKeys, nearestOf } from './known-keys.ts';
export { type Abortable, abortOf, LazyAbort } from './lazy-abort.ts';
export { assertLimit, DEFAULT_LIMITS, toLimits } from './limit-values.ts';
export { LIMIT_NAMES, LIMITS, type LimitName, type LimitPlace, type Limits } from './limits.ts';
export { type Definitions, loadDefinitions } from './load-definitions.ts';
export { type EpisodeLog, episodeLog, type Log, silent } from './log.ts';
export { NumberMap } from './number-map.ts';
export { printable, UNPRINTABLE } from './printable.ts';
export { formatProblems, type Problem } from './problems.ts';
export { quoteText } from './quoting/quote-text.ts';
export { chanceOf, seedOf } from './random.ts';
export {
  MAX_SECRET_CHARACTERS,
  MAX_SECRETS,
  REDACTION_ROOM,
  redact,
  redactStart,
  redactWhole,
  type Secrets,
} from './redact.ts';
export { redactValue } from './redact-value.ts';
export { listOf, must, mustUnquoted, objectOf, oneOf, type Rule, trueOrFalse, wholeNumber } from './rules.ts';
export type { InputOf, OutputOf, Schema, StandardSchema } from './schema.ts';
export { slowPatterns } from './slow-patterns.ts';
export { startThread } from './start-thread.ts';
export { NOTHING_TO_SEE, type Step, type StepOptions, step, toBlocks, toToolOutput } from './step.ts';
export { taskHashOf } from './task-hash.ts';
export type { SplitDefinition, TaskList, TaskSource } from './tasks.ts';
export { keepTickShape } from './tick-shape.ts';
export type {
  Awaitable,
  Chance,
  Tool,
  ToolAnnotations,
  ToolAuthorization,
  ToolContext,
  ToolOptions,
  ToolRequirements,
  ToolReturn,
  ToolWithRequirements,
} from './tool.ts';
export type { ReportedFailure } from './tool-failure.ts';
export { type Toolkit, type ToolMap, toolkit } from './toolkit.ts';
export {
  type CatalogTool,
  ToolIdError,
  type ToolIndex,
  type ToolkitCatalog,
  toolIndex,
  toolkitCatalog,
} from './toolkit-catalog.ts';
export { type Checked, validatorOf } from './validator.ts';
