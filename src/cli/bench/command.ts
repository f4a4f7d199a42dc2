import type { Command } from 'commander';
import { addSecretOption, TIMES, toCount, toJsonObject, toMilliseconds } from '../shared/arguments.ts';
import { toPositive } from './arguments.ts';
import type { BenchOptions } from './plan.ts';

/** Adds `tiltyard bench`. */
export function addBench(root: Command): void {
  const command = root
    .command('bench')
    .description('Measure the throughput and latency of any ORS or OXP server.')
    .argument('<target>', 'URL of an ORS or OXP server, or a module to serve in its own process')
    .option('-c, --connections <number>', 'concurrent connections (default: 16; up to 1024 with --ramp)', toCount)
    .option('-r, --rate <number>', 'start this many per second, however slow the responses (open loop)', toPositive)
    .option(
      '-d, --duration <time>',
      'how long to measure in each round (default: 10s; 3s with --compare or --ramp)',
      toMilliseconds,
    )
    .option('--warm-up <time>', 'warm-up before each round, not counted (default: 1s)', toMilliseconds)
    .option('--rounds <number>', 'number of rounds; reports the median (default: 1; 5 with --compare)', toCount)
    .option('--timeout <time>', 'responses slower than this are errors (default: 10s)', toMilliseconds)
    .option('--ramp', 'ramp up until throughput stops improving; report the knee')
    .option('--episodes', 'measure whole episodes: create, prompt, tools, calls, delete')
    .option('--steps <number>', 'calls per episode (default: 1)', toCount)
    .option('--tool <name>', 'tool to call (default: the first; required for remote servers)')
    .option('--input <json>', 'input of the tool (default: generated from its schema)', toJsonObject)
    .option('-e, --environment <name>', "environment (default: the server's default)")
    .option('-s, --split <name>', 'split (default: a training split)')
    .option('-i, --index <number>', 'index of the task (default: 0; with --episodes, all in turn)', toCount);
  addSecretOption(command)
    .option('--protocol <name>', 'ors or oxp (default: whichever the server speaks)')
    .option('--compare <target>', 'measure another server in alternating rounds, and report the ratio')
    .option(
      '--fail-below <number>',
      'exit code 1 below this rate per second or, with --compare, this ratio',
      toPositive,
    )
    .option('--html <file>', 'write an HTML report with charts')
    .option('--json', 'print the results as one line of JSON')
    .addHelpText('after', HELP)
    .action(async (target: string, options: BenchOptions) => {
      const { bench } = await import('./bench.ts');
      await bench(target, options);
    });
}

const HELP = `
The API key is read from the environment variable TILTYARD_API_KEY. Ctrl-C ends
the sessions and prints the results so far.

A <time> is ${TIMES}.

Examples:
  tiltyard bench environment.ts
  tiltyard bench http://localhost:8080 --tool guess --input '{"number": 50}' --duration 30s
  tiltyard bench environment.ts --rate 500 --html report.html
  tiltyard bench environment.ts --ramp
  tiltyard bench environment.ts --episodes --steps 5 --connections 64
  tiltyard bench environment.ts --compare localhost:8080 --fail-below 0.95`;
