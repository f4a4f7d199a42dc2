import { Command } from 'commander';
import { version } from '../version.ts';
import { addBench } from './bench/command.ts';
import { addCall } from './call/command.ts';
import { addCheck } from './check/command.ts';
import { addCluster } from './cluster/command.ts';
import { addDev } from './dev/command.ts';
import { addHelp } from './help.ts';
import { addJournal } from './journal/command.ts';
import { addLimits } from './limits/command.ts';
import { addMcp } from './mcp/command.ts';
import { addMock } from './mock/command.ts';
import { addNew } from './new/command.ts';
import { addPlay } from './play/command.ts';
import { addReplay } from './replay/command.ts';
import { addRun } from './run/command.ts';
import { addRuns } from './runs/command.ts';
import { addServe } from './serve/command.ts';
import { addStudio } from './studio/command.ts';
import { addTasks } from './tasks/command.ts';
import { addTools } from './tools/command.ts';

/**
 * The command line: a folder for each command, and this is their list. What a command does is loaded when it is wanted,
 * so that --help does not wait for a server.
 */
export function program(): Command {
  const root = new Command('tiltyard')
    .description('Write environments and tools for language-model agents, and serve them to any agent.')
    .version(version)
    // In the list of commands; what each takes is in its own help, and would leave the list no room.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .showHelpAfterError('Run with --help for usage.')
    // Thrown rather than exited with, so that main gives every mistake the same exit code.
    .exitOverride();
  addNew(root);
  addDev(root);
  addServe(root);
  addTasks(root);
  addTools(root);
  addCall(root);
  addPlay(root);
  addStudio(root);
  addReplay(root);
  addMcp(root);
  addMock(root);
  addCheck(root);
  addRun(root);
  addRuns(root);
  addBench(root);
  addJournal(root);
  addCluster(root);
  addLimits(root);
  addHelp(root);
  return root;
}
