import { type Block, environment, image, step, text } from 'tiltyard';
import { z } from 'zod';
import { type Game, move, startGame } from './game.ts';
import { DIRECTIONS } from './grid.ts';
import { generateLevel } from './level.ts';
import { toPng } from './picture.ts';
import { LEGEND, toText } from './text-view.ts';

const SIZE = 8;

/** A walk over a grid, seen as images: a million levels, each made from its seed when it is asked for. */
export const gridworld = environment({
  name: 'gridworld',
  task: z.object({
    seed: z
      .int()
      .min(0)
      .max(2 ** 32 - 1),
    size: z.int().min(4).max(16),
  }),
  splits: {
    train: { type: 'train', count: 1_000_000, get: (index) => ({ seed: index, size: SIZE }) },
    // Seeds beyond those of the training split, so that no level is in both.
    test: Array.from({ length: 20 }, (_, index) => ({ seed: 1_000_000 + index, size: SIZE })),
  },
  // A level is made from its seed and nothing else, so that the same moves always lead to the same place.
  durability: 'replay',
  setup: ({ task }) => startGame(generateLevel(task)),
  prompt: ({ state }) => [
    text(
      'Walk to the goal, the flag. A step costs 0.01, a coin is worth 0.1, and the goal 1. ' +
        `The episode ends at the goal, or after ${state.level.maxSteps} steps. Walls and edges cannot be crossed.`,
    ),
    ...view(state),
  ],
  tools: {
    move: {
      description: 'Go one cell. Where a wall or the edge is in the way, the step is spent and you stay.',
      input: z.object({ direction: z.enum(DIRECTIONS) }),
      run({ direction }, { state }) {
        const { event, reward, finished } = move(state, direction);
        return step([text(event), ...view(state)], {
          reward,
          finished,
          metadata: { steps: state.steps, coinsLeft: state.coins.size, position: state.position },
        });
      },
    },
  },
});

function view(game: Game): Block[] {
  const { steps, level } = game;
  return [text(`Step ${steps} of ${level.maxSteps}. ${LEGEND}:\n${toText(game)}`), image(toPng(game), 'image/png')];
}
