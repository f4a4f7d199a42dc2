/** Whether a URL is an address of MCP rather than a server of environments or tools: `mcp` is a part of its path. */
export function isMcpAddress(url: string): boolean {
  return URL.canParse(url) && new URL(url).pathname.split('/').includes('mcp');
}
