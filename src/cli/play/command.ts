import type { Command } from 'commander';
import { addSecretOption } from '../shared/arguments.ts';
import { addEpisodeOptions } from '../shared/episode-options.ts';
import type { PlayOptions } from './play.ts';

/** Adds `tiltyard play`. */
export function addPlay(root: Command): void {
  const command = root
    .command('play')
    .description('Play an episode by hand, or replay a recorded one.')
    .argument('<target>', 'URL of an ORS server, or a module that exports environments');
  addSecretOption(addEpisodeOptions(command))
    .option('--images <folder>', 'save images here (default: show them, or save them to a temporary folder)')
    .option('--record <file>', 'record the game to a file')
    .option('--script <file>', 'replay a recorded game; exit code 1 if rewards differ')
    .option('--json', 'with --script: print the game as lines of JSON')
    .addHelpText('after', HELP)
    .action(async (target: string, options: PlayOptions) => {
      const { play } = await import('./play.ts');
      await play(target, options);
    });
}

const HELP = `
Prompts for anything you leave out. Esc goes back to the list of tools; Ctrl-C
ends the game and its episode. Type text of several lines in quotes:
"one\\ntwo". The API key is read from the environment variable TILTYARD_API_KEY.

Examples:
  tiltyard play environment.ts
  tiltyard play localhost:8080 --environment capitals --split test --index 0 --record game.json
  tiltyard play environment.ts --script game.json`;
