import type { Command } from 'commander';

/** Adds `tiltyard cluster`. */
export function addCluster(root: Command): void {
  const cluster = root
    .command('cluster')
    .description('See the nodes of a cluster, or empty one of them.')
    .addHelpText('after', HELP);
  cluster
    .command('status')
    .description('List the nodes of a cluster: their state, sessions and versions.')
    .argument('<nats>', 'address of NATS, as given to tiltyard serve --cluster')
    .option('--json', 'print one line of JSON per node')
    .action(async (nats: string, options: { readonly json?: boolean }) => {
      const { status } = await import('./status.ts');
      await status(nats, options);
    });
  cluster
    .command('drain')
    .description('Let a node take no new sessions and hand over those it has; then it can be stopped.')
    .argument('<nats>', 'address of NATS, as given to tiltyard serve --cluster')
    .argument('<node>', 'name or id of the node, as status prints it')
    .option('--json', 'print the result as one line of JSON')
    .action(async (nats: string, node: string, options: { readonly json?: boolean }) => {
      const { drain } = await import('./drain.ts');
      await drain(nats, node, options);
    });
}

const HELP = `
A node that is told to stop (SIGTERM, Ctrl-C) hands over its sessions by itself.
drain does the same while it goes on answering, as a gateway to the others.
If the nodes have a key in TILTYARD_JOURNAL_KEY, both commands need it as well.

Examples:
  tiltyard cluster status nats://localhost:4222
  tiltyard cluster status nats://user:password@one:4222,two:4222 --json
  tiltyard cluster drain nats://localhost:4222 node-2`;
