// JSON

// Server-sent events
export { CHUNK_BYTES, toChunks } from './chunks.ts';
export type { JsonObject, JsonValue } from './json.ts';
export { isObject } from './json.ts';
export { mapSubschemas } from './json-schema.ts';
// The Open Reward Standard on the wire
export type {
  RefusalReason,
  RunToolResult,
  Split,
  SplitType,
  ToolOutput,
  ToolSpec,
  WireBlock,
  WireImageBlock,
  WireTextBlock,
} from './ors.ts';
export {
  ACTION_ALIASES,
  CLIENT_TASK_ID,
  ENVIRONMENT_ACTIONS,
  FEATURES_HEADER,
  isSessionEnded,
  ROOT_PATHS,
  SECRETS_HEADER,
  SERVER_TASK_ID,
  SESSION_HEADER,
  sessionEnded,
} from './ors.ts';
// The Open eXecution Protocol on the wire
export type {
  CallToolRequest,
  CallToolResult,
  MissingRequirements,
  ServerErrorBody,
  ToolDefinition,
  ToolList,
  ValidationErrorBody,
  WireCallContext,
  WireRequirements,
  WireToolError,
} from './oxp.ts';
export { isSupportedSchema, OXP_SCHEMA, TOOL_ID } from './oxp.ts';
export { encodeError, encodeResult, encodeSmallResult, encodeTaskId, PING } from './sse.ts';
