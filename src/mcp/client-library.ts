/** The package that speaks to servers of MCP. */
export type McpClientLibrary = typeof import('@modelcontextprotocol/client') &
  typeof import('@modelcontextprotocol/client/stdio');

const CLIENT = '@modelcontextprotocol/client';

/** Loads the package, which is there only if somebody uses servers of MCP. */
export async function loadMcpClient(): Promise<McpClientLibrary> {
  try {
    return {
      ...(await import('@modelcontextprotocol/client')),
      ...(await import('@modelcontextprotocol/client/stdio')),
    };
  } catch (cause) {
    throw new McpClientMissing(
      `a server of MCP is reached with the package '${CLIENT}', which is not installed. Run: npm install ${CLIENT}`,
      { cause },
    );
  }
}

/** The package is not there. */
class McpClientMissing extends Error {
  override name = 'McpClientMissing';
}
