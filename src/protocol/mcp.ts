/** Whether a URL is an address of MCP rather than a server of environments or tools: `mcp` is a part of its path. */
export function isMcpAddress(url: string): boolean {
  return URL.canParse(url) && new URL(url).pathname.split('/').includes('mcp');
}

/** The longest name of a tool that every agent can call over MCP: programs put up to 19 characters before it, and models take 64. */
export const MAX_AGENT_TOOL_NAME = 45;
