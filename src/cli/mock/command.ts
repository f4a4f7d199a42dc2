import type { Command } from 'commander';
import { toPort } from '../shared/arguments.ts';
import type { MockOptions } from './mock.ts';

/** Adds `tiltyard mock`. */
export function addMock(root: Command): void {
  root
    .command('mock')
    .description('Serve records as an ORS server: recorded answers for recorded calls.')
    .argument('<record...>', 'records, or folders of records')
    .option('-p, --port <number>', 'port to listen on; 0 picks a free port (default: $PORT, or 8080)', toPort)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--no-auth', 'allow everyone, even on an address that other machines can reach')
    .option('--json', 'print what is served as one line of JSON')
    .addHelpText('after', HELP)
    .action(async (records: string[], options: MockOptions) => {
      const { mock } = await import('./mock.ts');
      await mock(records, options);
    });
}

const HELP = `
Clients and agents can be tested without the environment: a session for a
recorded task gets the recorded prompt, and each call the answer that the same
call got. A call that was not recorded breaks, with a message that says so. A
task that was recorded several times is played from its records in turn.

Examples:
  tiltyard mock game.jsonl --port 8081
  tiltyard mock data/records`;
