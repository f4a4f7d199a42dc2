import type { Command } from 'commander';
import type { ListOptions } from './list.ts';

/** Adds `tiltyard journal`. */
export function addJournal(root: Command): void {
  const journal = root
    .command('journal')
    .description("Look into a server's journal, copy it, or remove an episode from it.")
    .addHelpText('after', HELP);
  journal
    .command('ls')
    .description('List the episodes in a journal.')
    .argument('<folder>', 'folder of the journal')
    .option('--calls', 'list calls of toolkits instead')
    .option('--json', 'print one line of JSON per episode or call')
    .action(async (folder: string, options: ListOptions) => {
      const { list } = await import('./list.ts');
      await list(folder, options);
    });
  journal
    .command('show')
    .description('Show the records of an episode.')
    .argument('<folder>', 'folder of the journal')
    .argument('<episode>', 'session id, call_id, or key as ls --json prints it')
    .option('--json', 'print whole records as lines of JSON')
    .action(async (folder: string, episode: string, options: { readonly json?: boolean }) => {
      const { show } = await import('./show.ts');
      await show(folder, episode, options);
    });
  journal
    .command('drop')
    .description('Remove an episode and its results. The server must not be running.')
    .argument('<folder>', 'folder of the journal')
    .argument('<episode>', 'session id, call_id, or key as ls --json prints it')
    .option('--yes', 'do not ask for confirmation')
    .action(async (folder: string, episode: string, options: { readonly yes?: boolean }) => {
      const { drop } = await import('./drop.ts');
      await drop(folder, episode, options);
    });
  journal
    .command('backup')
    .description('Write a consistent copy of a journal; the server may be running.')
    .argument('<folder>', 'folder of the journal')
    .argument('<to>', 'new folder for the copy')
    .action(async (folder: string, to: string) => {
      const { backup } = await import('./backup.ts');
      await backup(folder, to);
    });
}

const HELP = `
ls, show and backup work while a server uses the journal. The key of an
encrypted journal is read from the environment variable TILTYARD_JOURNAL_KEY.

Examples:
  tiltyard journal ls data/journal
  tiltyard journal show data/journal 5f0c2a9e-8a53-4c3e-9d0e-2a8f3f6f7a10
  tiltyard journal drop data/journal 5f0c2a9e-8a53-4c3e-9d0e-2a8f3f6f7a10 --yes
  tiltyard journal backup data/journal backups/monday`;
