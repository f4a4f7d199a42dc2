// What clients of MCP see, whatever brings it to them

// Servers of others
export { type CalledTool, type ListedTool, type McpAddress, type McpConnection, openMcp } from './connection.ts';
export { toContent, toErrorResult, toInputSchema, toMcpTool, withDefaults } from './content.ts';
export {
  type McpCall,
  type McpContent,
  type McpFace,
  type McpResult,
  type McpTool,
  type RunningCall,
  UnknownTool,
} from './face.ts';
export { CALL_ID_META, type FaceServerOptions, toFaceServer } from './face-server.ts';
// One program
export { type Gateway, type GatewayListener, openGateway } from './gateway.ts';
export { instructionsFor, TASK_PROMPT } from './instructions.ts';
export { assertMcp, hasMcp, loadMcp, type McpLibrary } from './library.ts';
export { serveStdio } from './stdio.ts';
export { EPISODE_ENDED, type Reader, stepMeta, toStepResult } from './step-result.ts';
