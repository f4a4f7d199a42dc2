import type { Command } from 'commander';
import { addSecretOption } from '../shared/arguments.ts';
import { addEpisodeOptions } from '../shared/episode-options.ts';
import type { McpOptions } from './mcp.ts';

/** Adds `tiltyard mcp`. */
export function addMcp(root: Command): void {
  const command = root
    .command('mcp')
    .summary('Serve an episode, or toolkits, to an agent over MCP.')
    .description(
      'Serve one episode, or the tools of toolkits, over MCP on standard input and output, for a program that starts it. ' +
        'The end of the input ends the episode.',
    )
    .argument('<target>', 'URL of an ORS or OXP server, or a module that exports environments or toolkits');
  addSecretOption(addEpisodeOptions(command))
    .option('--rewards', 'tell rewards in `_meta` of results, for an orchestrator')
    .option('--toolkits', 'serve the toolkits, also if there are environments')
    .addHelpText('after', HELP)
    .action(async (target: string, options: McpOptions) => {
      const { mcp } = await import('./mcp.ts');
      await mcp(target, options);
    });
}

const HELP = `
What the code of environments prints goes to standard error, and so does the
reward when the episode ends. Needs the package @modelcontextprotocol/server.
The API key is read from the environment variable TILTYARD_API_KEY. To serve
many episodes over HTTP instead: tiltyard serve --mcp.

Examples:
  tiltyard mcp environment.ts --split test --index 0
  tiltyard mcp toolkit.ts
  claude mcp add capitals -- npx tiltyard mcp ./environment.ts --index 2
  npx @modelcontextprotocol/inspector npx tiltyard mcp localhost:8080`;
