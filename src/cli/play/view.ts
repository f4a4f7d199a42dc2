import type { WireBlock } from '../../protocol/index.ts';
import { printBlocks } from '../shared/blocks.ts';
import type { PlayedCall } from '../shared/calls.ts';
import { type Chosen, describeChoice } from '../shared/episode.ts';
import type { Gallery } from '../shared/images/gallery.ts';
import { toRewardText, withoutDust } from '../shared/numbers.ts';
import { toSafeJson, toSafeText } from '../shared/safe-text.ts';
import type { Terminal } from '../shared/terminal.ts';
import type { Game } from './game.ts';

/** What is shown of a game while it is played. */
export interface View {
  prompt(episode: ShownEpisode): Promise<void>;
  /** The last call of the game. */
  call(game: Game): Promise<void>;
  /** The end, and how it differs from what was recorded, if that was asked. */
  end(game: Game, differences: readonly string[] | undefined): void;
}

/** An episode that has begun. */
export interface ShownEpisode {
  readonly environment: string;
  readonly choice: Chosen;
  readonly prompt: readonly WireBlock[];
}

/** For people. */
export function readableView(terminal: Terminal, gallery: Gallery): View {
  const { bold, dim, cyan, green, red } = terminal.colors;
  const printCall = async ({ tool, input, result, failure }: PlayedCall, at: number, total: number) => {
    terminal.print(`${cyan(`> ${toSafeText(tool)}`)} ${dim(toSafeJson(input))}`);
    if (failure !== undefined) {
      terminal.print(red(`${toSafeText(failure.message)} (${failure.reason})`));
      terminal.print();
      return;
    }
    const { blocks = [], reward = null, metadata = null } = result ?? {};
    await printBlocks(blocks, { terminal, gallery, label: `call-${at}` });
    if (metadata !== null) terminal.print(dim(`metadata  ${toSafeJson(metadata)}`));
    // None is not 0, and 'reward none' reads as if something were broken.
    const paid = reward === null ? dim('no reward') : `${dim('reward')} ${bold(toRewardText(reward))}`;
    terminal.print(`${paid}  ${dim('total')} ${bold(toRewardText(total))}`);
    terminal.print();
  };
  return {
    async prompt({ environment, choice, prompt }) {
      terminal.print(bold(toSafeText(`${environment}: ${describeChoice(choice)}`)));
      terminal.print();
      await printBlocks(prompt, { terminal, gallery, label: 'prompt' });
      terminal.print();
    },
    async call({ calls, total }) {
      const last = calls.at(-1);
      if (last !== undefined) await printCall(last, calls.length, total);
    },
    end({ calls, total, outcome }, differences) {
      const count = calls.length === 1 ? '1 call' : `${calls.length} calls`;
      terminal.print(
        bold(`${outcome === 'finished' ? 'Finished' : 'Left'} after ${count}. Total reward: ${toRewardText(total)}`),
      );
      if (differences?.length === 0) terminal.print(green('The same as recorded.'));
    },
  };
}

/** For programs: a line of JSON for the prompt, for each call, and for the end. */
export function jsonView(terminal: Terminal): View {
  return {
    async prompt({ environment, choice, prompt }) {
      terminal.printJson({ event: 'prompt', environment, ...choice, blocks: prompt });
    },
    async call({ calls, total }) {
      const { tool, input, result, failure } = calls.at(-1) as PlayedCall;
      const { blocks = [], reward = null, finished = false, metadata = null } = result ?? {};
      const told = failure && { reason: failure.reason, message: failure.message };
      const outcome = told === undefined ? { blocks, reward, finished, metadata } : { failure: told };
      terminal.printJson({ event: 'call', tool, input, ...outcome, total: withoutDust(total) });
    },
    end({ calls, total, outcome }, differences) {
      const compared = differences === undefined ? {} : { differences };
      terminal.printJson({ event: 'end', outcome, calls: calls.length, total: withoutDust(total), ...compared });
    },
  };
}
