import type { Command } from 'commander';
import { addSecretOption } from '../shared/arguments.ts';
import { addEpisodeOptions } from '../shared/episode-options.ts';
import type { ToolsOptions } from './tools.ts';

/** Adds `tiltyard tools`. */
export function addTools(root: Command): void {
  const command = root
    .command('tools')
    .description('List the tools of a server, with their parameters and requirements.')
    .argument('<target>', 'URL of an ORS, OXP or MCP server, or a module that exports environments or toolkits');
  addSecretOption(addEpisodeOptions(command, 'all; with --split, --index or --task, the default'))
    .option('--json', 'print tools as lines of JSON, as the server sends them')
    .addHelpText('after', HELP)
    .action(async (target: string, options: ToolsOptions) => {
      const { tools } = await import('./tools.ts');
      await tools(target, options);
    });
}

const HELP = `
Some tasks have tools of their own: --split, --index or --task opens an episode
of that task and lists its tools. The API key is read from the environment
variable TILTYARD_API_KEY. A URL with /mcp in its path is an address of MCP.

Examples:
  tiltyard tools localhost:8080
  tiltyard tools toolkit.ts
  tiltyard tools localhost:8080/mcp/tools
  tiltyard tools environment.ts --split test --index 0`;
