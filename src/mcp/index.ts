// What clients of MCP see, whatever brings it to them; and servers of others
export { answerHeaders } from './answer-headers.ts';
export { type CalledTool, type McpConnection, openMcp } from './connection.ts';
export { toErrorResult, toMcpTool } from './content.ts';
export {
  type McpCall,
  type McpFace,
  type McpResult,
  type McpTool,
  type RunningCall,
  UnknownTool,
} from './face.ts';
export { toFaceServer } from './face-server.ts';
export { type Gateway, openGateway } from './gateway.ts';
export { instructionsFor } from './instructions.ts';
export { assertMcp, hasMcp, loadMcp } from './library.ts';
export { runOnce } from './run-once.ts';
export { serveStdio } from './stdio.ts';
export { type Reader, stepMeta, toStepResult } from './step-result.ts';
export { listedToolkitTool, outputSchemaOf, toValueResult, unknownCall } from './toolkit.ts';
