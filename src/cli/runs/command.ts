import type { Command } from 'commander';
import { addSecretOption, toCount } from '../shared/arguments.ts';
import type { ExportChoice } from './export.ts';
import type { RescoreChoice } from './rescore.ts';

/** Adds `tiltyard runs`. */
export function addRuns(root: Command): void {
  const runs = root
    .command('runs')
    .description('Look at runs, compare them, export them, or score them again.')
    .addHelpText('after', HELP);
  runs
    .command('show')
    .description('Show what came of runs.')
    .argument('<folder...>', 'folders of runs, or a folder that has runs in it')
    .option('--json', 'print each summary as one line of JSON')
    .action(async (folders: string[], options: { readonly json?: boolean }) => {
      const { show } = await import('./show.ts');
      await show(folders, options);
    });
  runs
    .command('compare')
    .description('Compare two runs, task by task.')
    .argument('<first>', 'folder of a run')
    .argument('<second>', 'folder of another run on the same tasks')
    .option('--json', 'print the comparison as one line of JSON')
    .action(async (first: string, second: string, options: { readonly json?: boolean }) => {
      const { compare } = await import('./compare.ts');
      await compare(first, second, options);
    });
  runs
    .command('export')
    .description('Write the episodes of a run that count in another format.')
    .argument('<folder>', 'folder of a run')
    .requiredOption('--format <name>', 'atif, openai, huggingface, inspect or parquet')
    .requiredOption('--out <file>', 'file to write; for atif, a folder')
    .option('--min-reward <reward>', 'leave out episodes with less', Number)
    .option('--json', 'print the result as one line of JSON')
    .action(async (folder: string, options: ExportChoice) => {
      const { exportTo } = await import('./export.ts');
      await exportTo(folder, options);
    });
  addSecretOption(
    runs
      .command('rescore')
      .description('Make the recorded calls again, and list what differs. Changes nothing.')
      .argument('<folder>', 'folder of a run')
      .argument('<target>', 'URL of an ORS server, or a module that exports environments')
      .option('--concurrency <number>', 'open episodes (default: 16)', toCount),
  )
    .option('--json', 'print a line of JSON per episode, and one for the whole')
    .action(async (folder: string, target: string, options: RescoreChoice) => {
      const { rescoreRun } = await import('./rescore.ts');
      await rescoreRun(folder, target, options);
    });
}

const HELP = `
rescore exits with code 1 if anything differs.

Examples:
  tiltyard runs show runs
  tiltyard runs compare runs/before runs/after
  tiltyard runs export runs/after --format huggingface --out train.jsonl
  tiltyard runs rescore runs/after environment.ts`;
