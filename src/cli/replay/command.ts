import type { Command } from 'commander';
import { addSecretOption } from '../shared/arguments.ts';
import { addEpisodeOptions } from '../shared/episode-options.ts';
import type { ReplayOptions } from './replay.ts';

/** Adds `tiltyard replay`. */
export function addReplay(root: Command): void {
  const command = root
    .command('replay')
    .description('Play the calls of a record again, and show what differs.')
    .argument('<record>', 'a record: a file of JSON lines, or a game of `tiltyard play --record`')
    .argument('<target>', 'URL of an ORS server, or a module that exports environments');
  addSecretOption(addEpisodeOptions(command, "the record's"))
    .option('--json', 'print the differences as one line of JSON')
    .addHelpText('after', HELP)
    .action(async (record: string, target: string, options: ReplayOptions) => {
      const { replay } = await import('./replay.ts');
      await replay(record, target, options);
    });
}

const HELP = `
Begins a new session for the same task, makes the recorded calls one after the
other, and compares the prompt, texts, images, rewards, metadata, failures and
the end. The exit code is 1 if anything differs. Secrets are not in records:
give them with --secret. The API key is read from TILTYARD_API_KEY.

Examples:
  tiltyard replay game.jsonl environment.ts
  tiltyard replay game.jsonl localhost:8080 --json`;
