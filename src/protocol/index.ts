export { toBase64Url } from './base64.ts';
export { bearerOf } from './bearer.ts';
export { cutText } from './cut-text.ts';
// Which server answers
export { INSTANCE_HEADER } from './instance.ts';
// JSON
export type { JsonObject, JsonValue } from './json.ts';
export { isObject, millisecondsJson } from './json.ts';
export {
  excessIn,
  MAX_ANSWER_BOUNDS,
  MAX_JSON_LEVELS,
  parsedBytes,
} from './json-bounds.ts';
export { isLocalRef, resolveRef, toPointerSteps } from './json-pointer.ts';
export { mapSubschemas } from './json-schema.ts';
// The Model Context Protocol
export { isMcpAddress, MAX_AGENT_TOOL_NAME } from './mcp.ts';
// The Open Reward Standard on the wire
export type {
  FailureReason,
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
  CLIENT_SESSION_ID,
  CLIENT_TASK_ID,
  DEPLOYMENT_HEADER,
  ENVIRONMENT_ACTIONS,
  FEATURES_HEADER,
  ROOT_PATHS,
  SECRETS_HEADER,
  SERVER_TASK_ID,
  SESSION_HEADER,
  textOf,
  toSecretsHeader,
  UNKNOWN_TASK_ID,
} from './ors.ts';
// How calls and episodes end
export {
  CALL_OUTCOMES,
  type CallOutcome,
  EPISODE_OUTCOMES,
  type EpisodeOutcome,
  isOutcome,
  OUTCOME_HEADER,
  type Outcome,
  outcomeOfCode,
} from './outcome.ts';
// The Open eXecution Protocol on the wire
export type {
  CallToolRequest,
  MissingRequirements,
  ServerErrorBody,
  ToolDefinition,
  ToolList,
  ValidationErrorBody,
  WireCallContext,
  WireRequirements,
  WireToolError,
} from './oxp.ts';
export { isSupportedSchema, OUTCOME_UNKNOWN, OXP_SCHEMA, RESULT_NOT_KEPT, TOOL_ID } from './oxp.ts';
// What a server tells of its sessions
export type { ServerEvent, WatchedCall, WatchedSession } from './server-events.ts';
// Server-sent events
export {
  codeIn,
  encodeError,
  encodeResult,
  encodeSmallResult,
  encodeTaskId,
  LARGE_TEXT,
  mostBytes,
  outcomeIn,
  PIECE_BYTES,
  PING,
  type RoomFor,
  resultJson,
  withoutLineBreaks,
} from './sse.ts';
// Who asks
export { STUDIO_AGENT } from './studio-agent.ts';
// Versions of tools
export { compareVersions } from './versions.ts';
