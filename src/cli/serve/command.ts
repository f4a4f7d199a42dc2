import { type Command, Option } from 'commander';
import { collect, toPort } from '../shared/arguments.ts';
import type { ServeOptions } from './serve.ts';

/** Adds `tiltyard serve`. */
export function addServe(root: Command): void {
  root
    .command('serve')
    .description(
      'Serve what modules export: environments over the Open Reward Standard, toolkits over the Open eXecution Protocol.',
    )
    .argument('<module...>', 'TypeScript or JavaScript files that export environments or toolkits')
    .option('-p, --port <number>', 'port to listen on; 0 takes any free one (default: $PORT, or 8080)', toPort)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--no-auth', 'allow everybody, also on an address that other machines reach')
    .addOption(
      new Option('--return-errors <how>', "how much of an environment's exception clients see")
        .choices(['none', 'exception', 'stacktrace'])
        .default('exception'),
    )
    .addOption(
      new Option('--log-level <level>', 'what is logged; info is a line for each request, call and session')
        .choices(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
        .default('warn'),
    )
    .option('--limit <name=number>', 'set a limit; may be given many times. `tiltyard limits` shows them all', collect)
    .option('--json', 'print what is served, and the limits, as one line of JSON')
    .addHelpText('after', HELP)
    .action(async (modules: string[], options: ServeOptions) => {
      const { serve } = await import('./serve.ts');
      await serve(modules, options);
    });
}

const HELP = `
API keys come from the environment variable TILTYARD_API_KEYS (separated by
commas), or from the file that TILTYARD_API_KEYS_FILE names: one a line, or JSON
that gives each an identity and scopes. Clients send one as X-API-Key or
OXP-API-Key. Bearer tokens (JWT) are checked with the secret in
TILTYARD_JWT_SECRET, or in the file that TILTYARD_JWT_SECRET_FILE names, and
with the audiences in TILTYARD_JWT_AUDIENCE.

Limits come from the environment variable TILTYARD_LIMITS as well, separated by
commas; --limit wins.

Examples:
  tiltyard serve examples/gsm8k/environment.ts
  tiltyard serve examples/toolkit/toolkit.ts
  PORT=9000 tiltyard serve math.ts code.ts --log-level info
  TILTYARD_API_KEYS=$(openssl rand -hex 16) tiltyard serve math.ts --host 0.0.0.0
  tiltyard serve math.ts --limit maxSessions=500 --limit drainMs=60000`;
