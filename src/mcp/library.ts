/** The package that speaks MCP. */
export type McpLibrary = typeof import('@modelcontextprotocol/server');

/** Loads `@modelcontextprotocol/server`, which is there only if somebody wants MCP. */
export async function loadMcp(): Promise<McpLibrary> {
  try {
    return await import('@modelcontextprotocol/server');
  } catch (cause) {
    throw new McpMissing(
      "MCP needs the package '@modelcontextprotocol/server', which is not installed. Run: npm install @modelcontextprotocol/server",
      { cause },
    );
  }
}

/** The package is not there. */
class McpMissing extends Error {
  override name = 'McpMissing';
}
