import type { Command } from 'commander';
import { addSecretOption, toCount, toJsonObject, toMilliseconds } from '../shared/arguments.ts';
import { toPositive } from './arguments.ts';
import type { BenchOptions } from './plan.ts';

/** Adds `tiltyard bench`. */
export function addBench(root: Command): void {
  const command = root
    .command('bench')
    .description('Measure how many calls or episodes a server takes, and how long each takes. Any ORS or OXP server.')
    .argument('<target>', 'URL of an ORS or OXP server, or a module, which gets a server of its own')
    .option(
      '-c, --connections <number>',
      'connections; each sends its next request when the last is answered (default: 16; with --ramp at most 1024)',
      toCount,
    )
    .option('-r, --rate <number>', 'begin so many a second, however long the answers take', toPositive)
    .option(
      '-d, --duration <time>',
      'how long to measure, in each round (default: 10s; 3s with --compare or --ramp)',
      toMilliseconds,
    )
    .option('--warm-up <time>', 'time before each round that is not counted (default: 1s)', toMilliseconds)
    .option('--rounds <number>', 'rounds; the median counts (default: 1; 5 with --compare)', toCount)
    .option('--timeout <time>', 'an answer that takes longer is an error (default: 10s)', toMilliseconds)
    .option('--ramp', 'double the connections (or the rate) until it is of no more use, and tell where that was')
    .option('--episodes', 'measure whole episodes: create, prompt, tools, calls, delete')
    .option('--steps <number>', 'calls in each episode (default: 1)', toCount)
    .option('--tool <name>', 'the tool to call (default: the first; must be given for servers elsewhere)')
    .option('--input <json>', "the tool's input (default: made from its schema)", toJsonObject)
    .option('-e, --environment <name>', 'the environment (default: the first)')
    .option('-s, --split <name>', 'the split (default: one for training)')
    .option('-i, --index <number>', 'the task (default: 0; with --episodes all in turn)', toCount);
  addSecretOption(command)
    .option('--protocol <name>', 'ors or oxp (default: what the server speaks)')
    .option('--compare <target>', 'measure another server in turns with this one, and tell the ratio')
    .option(
      '--fail-below <number>',
      'exit with 1 below so many a second or, with --compare, below this ratio',
      toPositive,
    )
    .option('--html <file>', 'write a report with plots')
    .option('--json', 'print everything as one line of JSON')
    .addHelpText('after', HELP)
    .action(async (target: string, options: BenchOptions) => {
      const { bench } = await import('./bench.ts');
      await bench(target, options);
    });
}

const HELP = `
The API key of a server is taken from the environment variable TILTYARD_API_KEY.
Ctrl-C ends the sessions and prints what was measured until then.

Examples:
  tiltyard bench examples/gridworld/environment.ts
  tiltyard bench http://localhost:8080 --tool submit --input '{"answer": "72"}' --duration 30s
  tiltyard bench math.ts --rate 500 --html report.html
  tiltyard bench math.ts --ramp
  tiltyard bench math.ts --episodes --steps 5 --connections 64
  tiltyard bench new.ts --compare old.ts --fail-below 0.95`;
