import { type Command, Option } from 'commander';
import { KINDS } from './kinds.ts';
import type { NewOptions } from './plan.ts';

/** Adds `tiltyard new`. */
export function addNew(root: Command): void {
  root
    .command('new')
    .description('Create a project: an environment or a toolkit, with a test.')
    .argument('[folder]', 'where to create it; must be empty or not exist')
    .addOption(new Option('-k, --kind <kind>', 'what to create (default: environment)').choices(Object.keys(KINDS)))
    .option('-n, --name <name>', 'name of the project and of what it serves (default: the folder name)')
    .option('-y, --yes', 'accept all defaults; no prompts')
    .option('--json', 'print what was created as one line of JSON; no prompts')
    .addHelpText('after', HELP)
    .action(async (folder: string | undefined, options: NewOptions) => {
      const { createProject } = await import('./new.ts');
      await createProject(folder, options);
    });
}

const HELP = `
On a terminal, prompts for anything you leave out. Elsewhere the folder is
required. Nothing is installed; the next steps are printed.

Examples:
  tiltyard new
  tiltyard new capitals --kind environment
  tiltyard new tools/weather --kind toolkit --name weather --yes`;
