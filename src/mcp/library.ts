import { createRequire } from 'node:module';

/** The package that speaks MCP. */
export type McpLibrary = typeof import('@modelcontextprotocol/server');

const SERVER = '@modelcontextprotocol/server';

/** Whether the package is there, without loading it. */
export function hasMcp(): boolean {
  try {
    createRequire(import.meta.url).resolve(SERVER);
    return true;
  } catch {
    return false;
  }
}

/** Refuses to go on without the package. */
export function assertMcp(): void {
  if (!hasMcp()) throw missing();
}

/** Loads the package, which is there only if somebody wants MCP. */
export async function loadMcp(): Promise<McpLibrary> {
  try {
    return await import('@modelcontextprotocol/server');
  } catch (cause) {
    throw missing(cause);
  }
}

function missing(cause?: unknown): McpMissing {
  return new McpMissing(`MCP needs the package '${SERVER}', which is not installed. Run: npm install ${SERVER}`, {
    cause,
  });
}

/** The package is not there. */
class McpMissing extends Error {
  override name = 'McpMissing';
}
