import type { JsonObject } from '../../protocol/index.ts';
import type { EpisodeOptions } from '../shared/episode.ts';
import { misuse } from '../shared/failure.ts';
import { withMcp } from '../shared/mcp-target.ts';
import type { Terminal } from '../shared/terminal.ts';
import { toToolLines } from './signature.ts';

/** What can be said of it; what names an episode cannot. */
export interface McpToolsOptions extends EpisodeOptions {
  readonly secret?: readonly string[];
  readonly json?: boolean;
}

/** Shows the tools at an address of MCP. */
export async function toolsAtMcp(url: string, options: McpToolsOptions, terminal: Terminal): Promise<void> {
  const { json = false, secret, ...others } = options;
  if (Object.keys(others).length > 0)
    throw misuse('an address of MCP says by itself which episode it means: drop the options that name one');
  await withMcp(url, secret, async ({ connection }) => {
    for (const tool of await connection.tools()) {
      if (json) terminal.printJson(tool);
      else {
        const { name, description, inputSchema } = tool;
        const spec = { name, description, input_schema: inputSchema as JsonObject };
        for (const line of toToolLines(spec, terminal.colors)) terminal.print(line);
      }
    }
  });
}
