import { PNG } from 'pngjs';
import { play } from 'tiltyard/testing';
import { describe, expect, test } from 'vitest';
import { gridworld } from './environment.ts';
import { contentOf, startGame } from './game.ts';
import { type Direction, neighbour, shortestPaths } from './grid.ts';
import { generateLevel, type Level } from './level.ts';
import { toPng } from './picture.ts';
import { seededRandom } from './random.ts';
import { toText } from './text-view.ts';
import { CELL, tiles } from './tiles.ts';

describe('an episode', () => {
  test('the shortest way to the goal pays for the goal and the coins on it, less the steps', async () => {
    for (const index of [0, 7, 999_999]) {
      const level = generateLevel({ seed: index, size: 8 });
      const path = wayTo(level, level.goal);
      const coins = cellsOn(level, path).filter((cell) => level.coins.has(cell)).length;
      await using episode = await play(gridworld, { split: 'train', index });
      const steps = [];
      for (const direction of path) steps.push(await episode.call('move', { direction }));
      const total = steps.reduce((sum, { reward }) => sum + (reward ?? 0), 0);
      expect(total).toBeCloseTo(1 + 0.1 * coins - 0.01 * path.length, 9);
      expect(steps.map(({ finished }) => finished)).toEqual(path.map((_, at) => at === path.length - 1));
      expect(steps.at(-1)).toMatchObject({ text: expect.stringMatching(/^You reach the goal!/) });
      await expect(episode.call('move', { direction: 'up' })).rejects.toThrow('The episode is finished');
    }
  });

  test('a coin is found once, and only once', async () => {
    const level = generateLevel({ seed: 1_000_000, size: 8 });
    const paths = [...level.coins].map((coin) => wayTo(level, coin)).sort((a, b) => a.length - b.length);
    const [path = []] = paths;
    const last = path.at(-1) ?? 'up';
    await using episode = await play(gridworld, { split: 'test', index: 0 });
    for (const direction of path.slice(0, -1))
      expect(await episode.call('move', { direction })).toMatchObject({ reward: -0.01 });
    expect(await episode.call('move', { direction: last })).toMatchObject({
      text: expect.stringContaining(`You go ${last} and find a coin.`),
      reward: 0.09,
      metadata: { coinsLeft: 3 },
    });
    await episode.call('move', { direction: OPPOSITE[last] });
    expect(await episode.call('move', { direction: last })).toMatchObject({
      reward: -0.01,
      metadata: { coinsLeft: 3 },
    });
  });

  test('a wall costs a step, and enough of them the episode', async () => {
    // It starts in the left upper corner.
    const level = generateLevel({ seed: 7, size: 8 });
    await using episode = await play(gridworld, { split: 'train', index: 7 });
    for (let at = 1; at < level.maxSteps; at += 1) {
      expect(await episode.call('move', { direction: 'up' })).toMatchObject({
        text: expect.stringContaining('You cannot go up.'),
        reward: -0.01,
        finished: false,
        metadata: { steps: at, position: level.start },
      });
    }
    expect(await episode.call('move', { direction: 'up' })).toMatchObject({
      text: expect.stringContaining('That was the last step.'),
      reward: -0.01,
      finished: true,
    });
  });

  test('the prompt and every step show the game as text and as an image', async () => {
    const level = generateLevel({ seed: 5, size: 8 });
    await using episode = await play(gridworld, { split: 'train', index: 5 });
    const prompt = await episode.prompt();
    expect(prompt.map(({ type }) => type)).toEqual(['text', 'text', 'image']);
    expect(prompt[1]).toMatchObject({ text: expect.stringContaining(toText(startGame(level))) });
    const { blocks } = await episode.call('move', { direction: 'up' });
    const [, , picture] = blocks;
    if (picture?.type !== 'image') throw new Error('the third block is not an image');
    expect(picture.mimeType).toBe('image/png');
    expect(PNG.sync.read(Buffer.from(picture.data, 'base64'))).toMatchObject({ width: 256, height: 256 });
  });

  test('another direction, and another size, are refused', async () => {
    await using episode = await play(gridworld, { task: { seed: 1, size: 4 } });
    // @ts-expect-error no such direction
    await expect(episode.call('move', { direction: 'north' })).rejects.toThrow('Must be one of "up", "down"');
    await expect(play(gridworld, { task: { seed: 1, size: 1000 } })).rejects.toThrow('size: ');
  });
});

describe('levels', () => {
  test('the same seed makes the same level, another seed another', () => {
    const shown = (seed: number) => toText(startGame(generateLevel({ seed, size: 8 })));
    expect(shown(42)).toBe(shown(42));
    expect(new Set(Array.from({ length: 500 }, (_, seed) => shown(seed))).size).toBe(500);
  });

  test('a seed makes this level for ever: results of different days can be compared', () => {
    expect(toText(startGame(generateLevel({ seed: 7, size: 8 })))).toBe(
      ['@..o..#.', '.##..#.#', '.#o#.###', '#..#....', '....##..', '##.o....', '...##o.#', '.G#.....'].join('\n'),
    );
  });

  test('every level can be solved with steps to spare, and every coin can be reached', () => {
    for (const size of [4, 5, 8, 16]) {
      for (let seed = 0; seed < 500; seed += 1) {
        const level = generateLevel({ seed, size });
        const paths = shortestPaths(level, level.start);
        const distance = paths.get(level.goal)?.length ?? Number.POSITIVE_INFINITY;
        expect(distance).toBeGreaterThanOrEqual(size - 1);
        expect(level.maxSteps).toBeGreaterThan(distance);
        expect(level.coins.size).toBe(Math.ceil(size / 2));
        expect([...level.coins].filter((coin) => !paths.has(coin) || coin === level.goal)).toEqual([]);
      }
    }
  });

  test('random numbers are spread evenly from 0 up to 1', () => {
    const random = seededRandom(1);
    const numbers = Array.from({ length: 10_000 }, random);
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(numbers.reduce((sum, number) => sum + number, 0) / numbers.length).toBeCloseTo(0.5, 1);
  });
});

describe('pictures', () => {
  test('every cell of a picture is the tile of what is in it', () => {
    const game = startGame(generateLevel({ seed: 7, size: 8 }));
    const png = PNG.sync.read(toPng(game));
    for (let cell = 0; cell < 64; cell += 1) {
      const [column, row] = [cell % 8, Math.floor(cell / 8)];
      const middle = ((row * CELL + CELL / 2) * png.width + column * CELL + CELL / 2) * 4;
      const tile = tiles[contentOf(game, cell)][(column + row) % 2];
      const inTile = ((CELL / 2) * CELL + CELL / 2) * 4;
      expect([...png.data.subarray(middle, middle + 4)]).toEqual([...(tile?.subarray(inTile, inTile + 4) ?? [])]);
    }
  });

  test('no two kinds of cell look alike', () => {
    const pictures = Object.values(tiles).map(([light]) => Buffer.from(light ?? []).toString('base64'));
    expect(new Set(pictures).size).toBe(pictures.length);
  });
});

const OPPOSITE: Readonly<Record<Direction, Direction>> = { up: 'down', down: 'up', left: 'right', right: 'left' };

function wayTo(level: Level, cell: number): readonly Direction[] {
  const path = shortestPaths(level, level.start).get(cell);
  if (path === undefined) throw new Error(`no way leads to cell ${cell}`);
  return path;
}

function cellsOn(level: Level, path: readonly Direction[]): number[] {
  let cell = level.start;
  return path.map((direction) => {
    cell = neighbour(level, cell, direction) ?? cell;
    return cell;
  });
}
