import { type Content, contentOf, type Game } from './game.ts';

/** The meaning of the characters of a text view. */
export const LEGEND = '@ you, G goal, o coin, # wall, . floor';

const CHARACTERS: Readonly<Record<Content, string>> = {
  floor: '.',
  wall: '#',
  coin: 'o',
  goal: 'G',
  player: '@',
  playerAtGoal: '@',
};

/** The game as lines of characters. */
export function toText(game: Game): string {
  const { size } = game.level;
  const rows = Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (_, column) => CHARACTERS[contentOf(game, row * size + column)]).join(''),
  );
  return rows.join('\n');
}
