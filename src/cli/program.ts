import { Command } from 'commander';
import { version } from '../version.ts';
import { addCheck } from './check/command.ts';
import { addServe } from './serve/command.ts';

/**
 * The command line: a folder for each command, and this is their list. What a command does is loaded when it is wanted,
 * so that --help does not wait for a server.
 */
export function program(): Command {
  const root = new Command('tiltyard')
    .description('Environments and tools for language-model agents: serve them to any agent.')
    .version(version)
    .showHelpAfterError('Run with --help to see how.')
    // Thrown rather than exited with, so that main gives every mistake the same exit code.
    .exitOverride();
  addServe(root);
  addCheck(root);
  return root;
}
