import { type Direction, neighbour } from './grid.ts';
import type { Level } from './level.ts';

/** A level in play. */
export interface Game {
  readonly level: Level;
  position: number;
  /** The coins that are still there. */
  readonly coins: Set<number>;
  steps: number;
}

/** What can be seen in a cell. */
export type Content = 'floor' | 'wall' | 'coin' | 'goal' | 'player' | 'playerAtGoal';

/** What one move did. */
export interface Move {
  readonly event: string;
  readonly reward: number;
  readonly finished: boolean;
}

// In hundredths, so that sums have no rounding errors.
const REWARDS = { step: -1, coin: 10, goal: 100 };

/** Puts the player at the start. */
export function startGame(level: Level): Game {
  return { level, position: level.start, coins: new Set(level.coins), steps: 0 };
}

/** Moves the player one cell, if nothing is in the way; a step is spent in any case. */
export function move(game: Game, direction: Direction): Move {
  const { level } = game;
  const next = neighbour(level, game.position, direction);
  game.position = next ?? game.position;
  game.steps += 1;
  const hasCoin = game.coins.delete(game.position);
  const solved = game.position === level.goal;
  const hundredths = REWARDS.step + (hasCoin ? REWARDS.coin : 0) + (solved ? REWARDS.goal : 0);
  const isOver = game.steps === level.maxSteps;
  return {
    event: describe({ direction, bumped: next === undefined, hasCoin, solved, isOver }),
    reward: hundredths / 100,
    finished: solved || isOver,
  };
}

/** What is to be seen in a cell now. */
export function contentOf({ level, position, coins }: Game, cell: number): Content {
  if (cell === position) return cell === level.goal ? 'playerAtGoal' : 'player';
  if (cell === level.goal) return 'goal';
  if (coins.has(cell)) return 'coin';
  return level.walls.has(cell) ? 'wall' : 'floor';
}

interface Happening {
  readonly direction: Direction;
  readonly bumped: boolean;
  readonly hasCoin: boolean;
  readonly solved: boolean;
  readonly isOver: boolean;
}

function describe({ direction, bumped, hasCoin, solved, isOver }: Happening): string {
  if (solved) return 'You reach the goal!';
  const moved = bumped ? `You cannot go ${direction}.` : `You go ${direction}${hasCoin ? ' and find a coin' : ''}.`;
  return isOver ? `${moved} That was the last step.` : moved;
}
