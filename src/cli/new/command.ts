import { type Command, Option } from 'commander';
import { KINDS } from './kinds.ts';
import type { NewOptions } from './plan.ts';

/** Adds `tiltyard new`. */
export function addNew(root: Command): void {
  root
    .command('new')
    .description('Begin a project: an environment or a toolkit, with a test, in a new folder.')
    .argument('[folder]', 'where to write it; it must be empty or not be there yet')
    .addOption(new Option('-k, --kind <kind>', 'what to begin with (default: environment)').choices(Object.keys(KINDS)))
    .option('-n, --name <name>', 'name of the project and of what it serves (default: the name of the folder)')
    .option('-y, --yes', 'ask nothing; what is not given has its default')
    .option('--json', 'print what was written as one line of JSON; asks nothing either')
    .addHelpText('after', HELP)
    .action(async (folder: string | undefined, options: NewOptions) => {
      const { createProject } = await import('./new.ts');
      await createProject(folder, options);
    });
}

const HELP = `
On a terminal it asks for what was not given. Elsewhere it asks nothing, and
needs the folder. Nothing is installed: it prints what to do next.

Examples:
  tiltyard new
  tiltyard new capitals --kind environment
  tiltyard new tools/weather --kind toolkit --name weather --yes`;
