import type { Command } from 'commander';
import { addSecretOption } from '../shared/arguments.ts';
import { addEpisodeOptions } from '../shared/episode-options.ts';
import type { PlayOptions } from './play.ts';

/** Adds `tiltyard play`. */
export function addPlay(root: Command): void {
  const command = root
    .command('play')
    .description('Play an episode by hand: read the prompt, choose tools, see the rewards. Or replay a recorded game.')
    .argument('<target>', 'URL of an ORS server, or a module that exports environments');
  addSecretOption(addEpisodeOptions(command))
    .option('--images <folder>', 'save images here (default: show them, or save them in a temporary folder)')
    .option('--record <file>', 'write the game down')
    .option('--script <file>', 'play a game that was written down; exit code 1 if its rewards differ')
    .option('--json', 'with --script: print lines of JSON')
    .addHelpText('after', HELP)
    .action(async (target: string, options: PlayOptions) => {
      const { play } = await import('./play.ts');
      await play(target, options);
    });
}

const HELP = `
What is not said is asked for. Esc goes back to the choice of tools; Ctrl-C ends
the game, and the episode on the server. A text of several lines is typed as
"one\\ntwo", in quotes. An API key for the server comes from the environment
variable TILTYARD_API_KEY.

Examples:
  tiltyard play examples/gridworld/environment.ts
  tiltyard play localhost:8080 --environment gsm8k --split test --index 1 --record game.json
  tiltyard play examples/gsm8k/environment.ts --script examples/gsm8k/game.json`;
