import type { Command } from 'commander';
import { toCount, toJsonObject } from './arguments.ts';

/** Adds the options that say which episode is meant: `EpisodeOptions`. */
export function addEpisodeOptions(command: Command, defaultEnvironment = "the server's first"): Command {
  return command
    .option('-e, --environment <name>', `the environment (default: ${defaultEnvironment})`)
    .option('-s, --split <name>', 'the split that the task is in')
    .option('-i, --index <number>', 'which task of the split, from 0', toCount)
    .option('--task <json>', 'a task of your own, instead of one of the server', toJsonObject);
}
