import { type Grid, shortestPaths } from './grid.ts';
import { seededRandom } from './random.ts';

/** A level as it is before the first step. */
export interface Level extends Grid {
  readonly start: number;
  readonly goal: number;
  readonly coins: ReadonlySet<number>;
  readonly maxSteps: number;
}

/** The size and the seed make the level: the same ones always make the same level. */
export interface LevelOptions {
  readonly seed: number;
  readonly size: number;
}

const WALL_SHARE = 0.3;
const ATTEMPTS = 10;

/** Makes a level in which the goal and all coins can be reached. */
export function generateLevel({ seed, size }: LevelOptions): Level {
  const random = seededRandom(seed);
  for (let attempt = 0; ; attempt += 1) {
    // Fewer walls each time, and at last none: then every cell can be reached, and the loop ends.
    const level = tryLevel(random, size, WALL_SHARE * Math.max(0, 1 - attempt / ATTEMPTS));
    if (level !== undefined) return level;
  }
}

function tryLevel(random: () => number, size: number, wallShare: number): Level | undefined {
  const cells = Array.from({ length: size * size }, (_, cell) => cell);
  const pick = (from: readonly number[]) => from[Math.floor(random() * from.length)];
  const start = pick(cells) ?? 0;
  const walls = new Set(cells.filter((cell) => random() < wallShare && cell !== start));
  const paths = shortestPaths({ size, walls }, start);
  const reachable = [...paths.keys()].filter((cell) => cell !== start);
  const distance = (cell: number) => paths.get(cell)?.length ?? 0;
  const goal = pick(reachable.filter((cell) => distance(cell) >= size - 1));
  if (goal === undefined) return undefined;
  const coins = new Set<number>();
  const free = reachable.filter((cell) => cell !== goal);
  while (coins.size < size / 2) coins.add(pick(free) ?? 0);
  // Enough for the shortest way there and back, and for some detours.
  return { size, walls, start, goal, coins, maxSteps: 2 * distance(goal) + size };
}
