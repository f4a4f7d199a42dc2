import type { Command } from 'commander';

/** Adds `tiltyard limits`. */
export function addLimits(root: Command): void {
  root
    .command('limits')
    .description('List the limits of a server and their defaults.')
    .option('--json', 'print one line of JSON: name, default, unit, meaning')
    .addHelpText('after', HELP)
    .action(async (options: { readonly json?: boolean }) => {
      const { limits } = await import('./limits.ts');
      limits(options);
    });
}

const HELP = `
Set them with --limit or the environment variable TILTYARD_LIMITS.

Examples:
  tiltyard limits
  tiltyard serve environment.ts --limit maxSessions=500`;
