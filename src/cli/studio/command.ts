import type { Command } from 'commander';
import { collect, toPort } from '../shared/arguments.ts';
import type { ExportSiteOptions } from './export.ts';
import type { StudioCommandOptions } from './studio.ts';

/** Adds `tiltyard studio` and its export. */
export function addStudio(root: Command): void {
  const studio = root
    .command('studio')
    .description('Play environments, watch a server live and read runs, in the browser.')
    .argument('[source...]', 'URLs, modules, folders of runs, records, or reports of bench --json (default: runs/)')
    .option('-p, --port <number>', 'port to listen on, or the next free one (default: 8090)', toPort)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--allow-host <name>', 'also serve the page under this host name; repeatable', collect)
    .option('--no-open', 'do not open a browser')
    .option('--json', 'print the address as one line of JSON')
    .addHelpText('after', HELP)
    .action(async (sources: string[], options: StudioCommandOptions) => {
      const { studio } = await import('./studio.ts');
      await studio(sources, options);
    });
  studio
    .command('export')
    .description('Write runs as a static site that needs no server, and opens from file://.')
    .argument('<folder...>', 'folders of runs')
    .requiredOption('-o, --out <folder>', 'folder to write to; must be empty or not exist')
    .option('--json', 'print what was written as one line of JSON')
    .addHelpText('after', EXPORT_HELP)
    .action(async (folders: string[], _options: unknown, command: Command) => {
      const { exportTo } = await import('./export.ts');
      await exportTo(folders, command.optsWithGlobals<ExportSiteOptions>());
    });
}

const HELP = `
The address has a token that is new at each start. The API key of a server is
read from the environment variable TILTYARD_API_KEY and stays in this process.
Live sessions need a server with --events; tiltyard dev has it.

Examples:
  tiltyard studio environment.ts
  tiltyard studio http://localhost:8080
  tiltyard studio runs/
  tiltyard studio runs/before runs/after --no-open
  tiltyard studio export runs/after --out site/`;

const EXPORT_HELP = `
Everything in the records of the runs is in the site: prompts, messages, inputs
and results. Look at it before you publish it.

Examples:
  tiltyard studio export runs/after --out site/
  tiltyard studio export runs/before runs/after --out site/`;
