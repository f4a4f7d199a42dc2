/** The ways to go. */
export const DIRECTIONS = ['up', 'down', 'left', 'right'] as const;

/** One of the ways to go. */
export type Direction = (typeof DIRECTIONS)[number];

/** A square grid with walls. A cell is a number: row * size + column. */
export interface Grid {
  readonly size: number;
  readonly walls: ReadonlySet<number>;
}

/** The cell next to another, or undefined where a wall or the edge is in the way. */
export function neighbour({ size, walls }: Grid, cell: number, direction: Direction): number | undefined {
  const [down, right] = STEPS[direction];
  const row = Math.floor(cell / size) + down;
  const column = (cell % size) + right;
  const next = row * size + column;
  const isOutside = row < 0 || row >= size || column < 0 || column >= size;
  return isOutside || walls.has(next) ? undefined : next;
}

/** A shortest way to every cell that can be reached. */
export function shortestPaths(grid: Grid, start: number): Map<number, readonly Direction[]> {
  const paths = new Map<number, readonly Direction[]>([[start, []]]);
  // A map may grow while it is walked, and is walked in the order it grew: that is a breadth-first search.
  for (const [cell, path] of paths) {
    for (const direction of DIRECTIONS) {
      const next = neighbour(grid, cell, direction);
      if (next !== undefined && !paths.has(next)) paths.set(next, [...path, direction]);
    }
  }
  return paths;
}

const STEPS: Readonly<Record<Direction, readonly [down: number, right: number]>> = {
  up: [-1, 0],
  down: [1, 0],
  left: [0, -1],
  right: [0, 1],
};
