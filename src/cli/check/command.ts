import { type Command, Option } from 'commander';
import { addSecretOption, TIMES, toCount, toMilliseconds } from '../shared/arguments.ts';
import { EXIT_CODES } from '../shared/failure.ts';
import { toRange } from './arguments.ts';
import type { CheckCommandOptions } from './options.ts';

/** Adds `tiltyard check`. */
export function addCheck(root: Command): void {
  const command = root
    .command('check')
    .summary('Check a server against the standards, or lint its environments.')
    .description(
      'Check any server, in any language, against the Open Reward Standard or the Open eXecution Protocol, or both. ' +
        'With --environment, lint its environments instead, for anything that would spoil training.',
    )
    .usage('[options] <target>')
    // Optional only for commander: an option that took it deserves better words than a missing argument.
    .argument('[target]', 'URL of an ORS, OXP or MCP server, or a module to serve for the check')
    .option('--active', 'also call tools, with inputs generated from their schemas; may have side effects')
    .option(
      '--only <part...>',
      'check only a protocol (ors, oxp, mcp), a group (D, ors/D) or a requirement (D7, ors/D7)',
    )
    .option('-e, --environment [name]', 'lint this environment, or all of them, instead of checking the server');
  addSecretOption(command)
    .option('--samples <number>', 'with --environment: how many tasks of each split to try (default: 5)', toCount)
    .option('--seed <number>', 'with --environment: seed for choosing tasks and inputs (default: 1)', toCount)
    .option('--reward-range <min,max>', 'with --environment: expected range of rewards (default: -1,1)', toRange)
    .addOption(
      new Option('--level <level>', 'lowest level whose failures count; below it they are warnings')
        .choices(['specified', 'interop', 'hardening'])
        .default('interop'),
    )
    .option('--strict', 'same as --level hardening: everything counts')
    .option('--baseline <file>', 'known failures, which do not count')
    .option('--write-baseline <file>', 'write the failures to a baseline file')
    .option('--junit <file>', 'write a JUnit report')
    .option('--timeout <time>', 'timeout of one request (default: 10s; 30s with --environment)', toMilliseconds)
    .option('--setup-timeout <time>', 'timeout of the setup of a session (default: 60s)', toMilliseconds)
    .option('--verbose', 'also show what passed and was skipped, and every request')
    .option('--json', 'print the report as one line of JSON')
    .addHelpText('after', HELP)
    .action(async (target: string | undefined, options: CheckCommandOptions, command: Command) => {
      if (target === undefined) command.error(missingTarget(options), { exitCode: EXIT_CODES.usage });
      const { check } = await import('./check.ts');
      await check(target, options);
    });
}

function missingTarget({ environment }: CheckCommandOptions): string {
  return typeof environment === 'string'
    ? `error: --environment took '${environment}' as the name of an environment: put the target first`
    : "error: missing required argument 'target'";
}

const HELP = `
Without --active, no tools are called: the check reads what the server has,
sends bad requests, and opens and deletes sessions.

Each requirement has a level: specified (the standard requires it), interop
(official clients need it) or hardening (good practice where both are silent).
Hardening failures are warnings.

A URL with /mcp in its path is an address of MCP, of which a few things are
checked that agents need; the official conformance suite does the rest.

Lint rules have ids such as env/prompt-empty. Most of them are hardening: use
--strict to make them count.

The API key is read from the environment variable TILTYARD_API_KEY. Exit code
1: something failed.

A <time> is ${TIMES}.

Examples:
  tiltyard check http://localhost:8080
  tiltyard check environment.ts --active
  tiltyard check localhost:8080/mcp/tools
  tiltyard check localhost:8080 --only oxp ors/D ors/S15 --verbose
  tiltyard check environment.ts --environment --active --strict
  tiltyard check localhost:8080 --environment capitals --reward-range 0,1
  tiltyard check localhost:8080 --write-baseline known.json
  tiltyard check localhost:8080 --baseline known.json --junit report.xml`;
