import { type Command, Option } from 'commander';
import { addSecretOption, toCount, toMilliseconds } from '../shared/arguments.ts';
import { EXIT_CODES } from '../shared/failure.ts';
import { toRange } from './arguments.ts';
import type { CheckCommandOptions } from './options.ts';

/** Adds `tiltyard check`. */
export function addCheck(root: Command): void {
  const command = root
    .command('check')
    .summary('Check a server against the standards, or the environments on it for what would spoil training.')
    .description(
      'Check a server against the Open Reward Standard and the Open eXecution Protocol, whichever it speaks: ' +
        'any server, in any language. ' +
        'With --environment, check the environments on it instead: is there anything that would spoil training?',
    )
    .usage('[options] <target>')
    // Optional only for commander: an option that took it deserves better words than a missing argument.
    .argument('[target]', 'URL of an ORS or OXP server, or a module, which is served for the check')
    .option('--active', 'call tools, too, with inputs made from their schemas; this may have effects')
    .option('--only <part...>', 'a protocol (ors, oxp), a group (D, ors/D) or a requirement (D7, ors/D7)')
    .option('-e, --environment [name]', 'check this environment, or all of them, and not the server');
  addSecretOption(command)
    .option('--samples <number>', 'with --environment: how many tasks of each split are begun (default: 5)', toCount)
    .option('--seed <number>', 'with --environment: the same seed makes the same choices (default: 1)', toCount)
    .option('--reward-range <min,max>', 'with --environment: what a call may pay (default: -1,1)', toRange)
    .addOption(
      new Option('--level <level>', 'the weakest level whose failures count; weaker ones are warnings')
        .choices(['specified', 'interop', 'hardening'])
        .default('interop'),
    )
    .option('--strict', 'the same as --level hardening: everything counts')
    .option('--baseline <file>', 'failures that are known, and do not count')
    .option('--write-baseline <file>', 'write the failures to a file, to be known from now on')
    .option('--junit <file>', 'write a JUnit report')
    .option('--timeout <time>', 'how long one request may take (default: 10s; 30s with --environment)', toMilliseconds)
    .option('--setup-timeout <time>', 'how long the setup of a session may take (default: 60s)', toMilliseconds)
    .option('--verbose', 'show what passed and what was skipped, too, and everything that was sent')
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
Without --active nothing runs but setups: what the server has is read, mistakes
are made on purpose, and sessions are opened and deleted.

Each requirement has a level: specified (the standard says so), interop
(official clients need it) or hardening (where both are silent, this is what
holds up). Failures of the last are warnings.

The id of a rule about environments is such as env/prompt-empty. Most of them
are advice, which is of the level hardening: --strict makes it count.

A key comes from the environment variable TILTYARD_API_KEY. The exit code is 1
if anything failed.

Examples:
  tiltyard check http://localhost:8080
  tiltyard check examples/gsm8k/environment.ts --active
  tiltyard check localhost:8080 --only oxp ors/D ors/S15 --verbose
  tiltyard check examples/gsm8k/environment.ts --environment --active --strict
  tiltyard check localhost:8080 --environment gsm8k --reward-range 0,1
  tiltyard check localhost:8080 --write-baseline known.json
  tiltyard check localhost:8080 --baseline known.json --junit report.xml`;
