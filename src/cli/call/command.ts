import type { Command } from 'commander';
import { addSecretOption, collect } from '../shared/arguments.ts';
import { addEpisodeOptions } from '../shared/episode-options.ts';
import type { CallOptions } from './options.ts';

/** Adds `tiltyard call`. */
export function addCall(root: Command): void {
  const command = root
    .command('call')
    .description('Call one tool of an environment, in a new episode, or of a toolkit.')
    .argument('<target>', 'URL of an ORS, OXP or MCP server, or a module that exports environments or toolkits')
    .argument('<tool>', 'name of the tool; for toolkits, Toolkit.Tool or Toolkit.Tool@version')
    .argument('[input]', 'input as a JSON object, or - to read it from standard input')
    .option('--input <name=value>', "one parameter, parsed according to the tool's schema; repeatable", collect);
  addSecretOption(
    addEpisodeOptions(command).option(
      '--sid <id>',
      'call in this open session instead of a new episode; it stays open',
    ),
  )
    .option('--user <id>', 'call a tool of a toolkit on behalf of this user')
    .option(
      '--token <id=VARIABLE>',
      'an authorization for a toolkit, from an environment variable; repeatable',
      collect,
    )
    .option('--images <folder>', 'save images here (default: show them, or save them to a temporary folder)')
    .option('--json', 'print the result as one line of JSON')
    .addHelpText('after', HELP)
    .action(async (target: string, tool: string, input: string | undefined, options: CallOptions) => {
      const { call } = await import('./call.ts');
      await call(target, { tool, input }, options);
    });
}

const HELP = `
The call runs in a new episode of the given task (default: the first), which
ends after it. A URL with /mcp in its path is an address of MCP, and says by
itself which episode it means. Exit code 1: the call was refused or the tool
failed. The API key is read from the environment variable TILTYARD_API_KEY.

Examples:
  tiltyard call environment.ts guess --input number=50
  tiltyard call localhost:8080 guess '{"number": 50}' --environment capitals --split train --index 0
  tiltyard call toolkit.ts Weather.Convert --input degrees=20 --input from=celsius --input to=fahrenheit
  tiltyard call localhost:8080/mcp/tools Weather_Convert --input degrees=20 --input from=celsius --input to=fahrenheit
  echo '{"number": 50}' | tiltyard call localhost:8080 guess - --json`;
