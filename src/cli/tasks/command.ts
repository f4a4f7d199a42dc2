import type { Command } from 'commander';
import { toCount } from '../shared/arguments.ts';
import { DEFAULT_COUNT, type TasksOptions } from './options.ts';

/** Adds `tiltyard tasks`. */
export function addTasks(root: Command): void {
  root
    .command('tasks')
    .description('List the environments of a server, their splits and their tasks.')
    .argument('<target>', 'URL of an ORS server, or a module that exports environments')
    .option('-e, --environment <name>', "environment (default: all; with --split, the server's default)")
    .option('-s, --split <name>', 'list the tasks of this split')
    .option('--from <index>', 'index of the first task to list', toCount, 0)
    .option('--count <number>', 'how many tasks to list', toCount, DEFAULT_COUNT)
    .option(
      '--json',
      'print whole tasks as lines of JSON, {"index", "task"}; without --split, one line per environment',
    )
    .addHelpText('after', HELP)
    .action(async (target: string, options: TasksOptions) => {
      const { tasks } = await import('./tasks.ts');
      await tasks(target, options);
    });
}

const HELP = `
The API key is read from the environment variable TILTYARD_API_KEY.

Examples:
  tiltyard tasks localhost:8080
  tiltyard tasks environment.ts --split train
  tiltyard tasks localhost:8080 --environment capitals --split train --from 500000 --count 5
  tiltyard tasks localhost:8080 --split test --count 1000 --json > tasks.jsonl`;
