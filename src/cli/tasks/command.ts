import type { Command } from 'commander';
import { toCount } from '../shared/arguments.ts';
import { DEFAULT_COUNT, type TasksOptions } from './options.ts';

/** Adds `tiltyard tasks`. */
export function addTasks(root: Command): void {
  root
    .command('tasks')
    .description('See which environments a server has, their splits, and the tasks in them.')
    .argument('<target>', 'URL of an ORS server, or a module that exports environments')
    .option('-e, --environment <name>', "one environment (default: all, or with --split the server's first)")
    .option('-s, --split <name>', 'show the tasks of this split')
    .option('--from <index>', 'the first task to show', toCount, 0)
    .option('--count <number>', 'how many tasks to show', toCount, DEFAULT_COUNT)
    .option(
      '--json',
      'complete tasks as lines of JSON, each {"index", "task"}; without --split, a line for each environment',
    )
    .addHelpText('after', HELP)
    .action(async (target: string, options: TasksOptions) => {
      const { tasks } = await import('./tasks.ts');
      await tasks(target, options);
    });
}

const HELP = `
An API key for the server comes from the environment variable TILTYARD_API_KEY.

Examples:
  tiltyard tasks localhost:8080
  tiltyard tasks examples/gsm8k/environment.ts --split train
  tiltyard tasks localhost:8080 --environment gridworld --split train --from 500000 --count 5
  tiltyard tasks localhost:8080 --split test --count 1000 --json > tasks.jsonl`;
