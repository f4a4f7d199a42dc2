// What is imported as `tiltyard/mcp`; the index is for the other layers.
export type { McpAddress } from './connection.ts';
export {
  type McpEpisodeTools,
  type McpToolContext,
  type McpToolResult,
  type McpTools,
  type McpToolsOptions,
  type McpToolsUse,
  mcpTools,
} from './mcp-tools.ts';
