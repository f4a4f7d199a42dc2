import { type Command, Option } from 'commander';
import { toPort } from '../shared/arguments.ts';
import type { DevOptions } from './dev.ts';

/** Adds `tiltyard dev`. */
export function addDev(root: Command): void {
  root
    .command('dev')
    .description('Serve modules while you write them: every change of a file that they import is served at once.')
    .argument('<module...>', 'TypeScript or JavaScript files that export environments or toolkits')
    .option('-p, --port <number>', 'port to listen on; 0 takes any free one (default: $PORT, or 8080)', toPort)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--no-auth', 'allow everybody, also on an address that other machines reach')
    .option('-w, --watch <path...>', 'further files or folders to watch, such as tasks that the code reads by itself')
    .addOption(
      new Option('--log-level <level>', 'what is shown of the log; info is a line for each request')
        .choices(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    )
    .option('--json', 'print a line of JSON for each event: listening, reloading, error, log')
    .addHelpText('after', HELP)
    .action(async (modules: string[], options: DevOptions) => {
      const { dev } = await import('./dev.ts');
      await dev(modules, options);
    });
}

const HELP = `
At a change, running sessions end with their teardowns, and the new code is
served on the same port. Code that cannot be loaded is shown with its file and
line, and what was served before goes on. API keys come from the same
environment variables as for tiltyard serve.

Examples:
  tiltyard dev math.ts
  tiltyard dev math.ts tools.ts --port 9000 --watch tasks/`;
