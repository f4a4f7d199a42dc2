import type { Command } from 'commander';
import { toCount, toJsonObject } from './arguments.ts';

/** Adds the options that say which episode is meant: `EpisodeOptions`. */
export function addEpisodeOptions(command: Command, defaultEnvironment = "the server's default"): Command {
  return command
    .option('-e, --environment <name>', `environment (default: ${defaultEnvironment})`)
    .option('-s, --split <name>', 'split of the task')
    .option('-i, --index <number>', 'index of the task in the split, from 0', toCount)
    .option('--task <json>', 'a task of your own, instead of one from the server', toJsonObject);
}
