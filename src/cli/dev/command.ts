import { type Command, Option } from 'commander';
import { allowHost, allowOrigin, toPort } from '../shared/arguments.ts';
import type { DevOptions } from './dev.ts';

/** Adds `tiltyard dev`. */
export function addDev(root: Command): void {
  root
    .command('dev')
    .description('Serve modules with hot reload.')
    .argument('<module...>', 'TypeScript or JavaScript files that export environments or toolkits')
    .option('-p, --port <number>', 'port to listen on; 0 picks a free port (default: $PORT, or 8080)', toPort)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--no-auth', 'allow everyone, even on an address that other machines can reach')
    .addOption(allowHost())
    .addOption(allowOrigin())
    .option('-w, --watch <path...>', 'more files or folders to watch, such as task files that your code reads')
    .addOption(
      new Option(
        '--log-level <level>',
        'how much of the log to show; info is a line per call, session and other request',
      )
        .choices(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    )
    .option('--no-studio', 'do not start the studio beside the server')
    .option('--json', 'print one line of JSON per event: listening, studio, reloading, error, types, log')
    .addHelpText('after', HELP)
    .action(async (modules: string[], options: DevOptions) => {
      const { dev } = await import('./dev.ts');
      await dev(modules, options);
    });
}

const HELP = `
When a file that the modules import changes, open sessions are torn down and
the new code is served on the same port. If it cannot be loaded, the error is
shown with file and line, and the previous version keeps serving. Type errors
are shown as well, where there is a tsconfig.json. API keys are read from the
same environment variables as for tiltyard serve. Agents are served over MCP as
well, where the package @modelcontextprotocol/server is installed. The studio, a
page to play the environments in, is on port 8090 or the next free one; see
tiltyard studio.

Examples:
  tiltyard dev environment.ts
  tiltyard dev environment.ts toolkit.ts --port 9000 --watch tasks/`;
