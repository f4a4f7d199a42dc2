import type { Command } from 'commander';
import { addSecretOption } from '../shared/arguments.ts';
import { addEpisodeOptions } from '../shared/episode-options.ts';
import type { ToolsOptions } from './tools.ts';

/** Adds `tiltyard tools`. */
export function addTools(root: Command): void {
  const command = root
    .command('tools')
    .description('See the tools of a server: what they do, what they take, what they need.')
    .argument('<target>', 'URL of an ORS or OXP server, or a module that exports environments or toolkits');
  addSecretOption(addEpisodeOptions(command, 'all; with --split, --index or --task the first'))
    .option('--json', 'tools as lines of JSON, as the server sends them')
    .addHelpText('after', HELP)
    .action(async (target: string, options: ToolsOptions) => {
      const { tools } = await import('./tools.ts');
      await tools(target, options);
    });
}

const HELP = `
Some tasks have tools of their own: with --split, --index or --task an episode
is opened, asked for its tools, and ended. An API key for the server comes from
the environment variable TILTYARD_API_KEY.

Examples:
  tiltyard tools localhost:8080
  tiltyard tools examples/toolkit/toolkit.ts
  tiltyard tools examples/gsm8k/environment.ts --split test --index 1`;
