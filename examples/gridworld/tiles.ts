import type { Content } from './game.ts';
import { box, type Colour, disc, pennant, type Shape } from './shapes.ts';

/** The width and height of a cell in pixels. */
export const CELL = 32;

/** The picture of one cell: red, green, blue and alpha for each pixel, row by row. */
export type Tile = Uint8Array;

type Layers = readonly (readonly [shape: Shape, colour: Colour, opacity?: number])[];

const INK: Colour = [38, 50, 78];
const WHITE: Colour = [255, 255, 255];
const SHADE: Colour = [60, 50, 30];

const WALL: Layers = [
  [box({ x: 0, y: 0, width: 32, height: 32 }), [62, 72, 92]],
  [box({ x: 2, y: 2, width: 28, height: 28, radius: 5 }), [86, 98, 122]],
  [box({ x: 2, y: 2, width: 28, height: 24, radius: 5 }), [107, 120, 146]],
];

const COIN: Layers = [
  [disc(16.5, 18, 8), SHADE, 0.25],
  [disc(16, 16, 8), [186, 126, 16]],
  [disc(16, 16, 6.5), [250, 197, 44]],
  [box({ x: 14.75, y: 12, width: 2.5, height: 8, radius: 1.2 }), [214, 152, 24]],
  [disc(13.5, 12.5, 1.5), [255, 240, 180]],
];

const GOAL: Layers = [
  [box({ x: 2, y: 2, width: 28, height: 28, radius: 6 }), [186, 230, 194]],
  [box({ x: 6, y: 25, width: 11, height: 3, radius: 1.5 }), SHADE, 0.25],
  [box({ x: 9, y: 5, width: 3, height: 22, radius: 1.5 }), [92, 74, 56]],
  [pennant(12, 6, 15, 12), [24, 150, 84]],
];

const PLAYER: Layers = [
  [disc(16.5, 18.5, 11.5), SHADE, 0.25],
  [disc(16, 16, 11.5), INK],
  [disc(16, 16, 10), [66, 134, 244]],
  [disc(12, 14, 3), WHITE],
  [disc(20, 14, 3), WHITE],
  [disc(12.5, 14.5, 1.5), INK],
  [disc(20.5, 14.5, 1.5), INK],
  [box({ x: 12, y: 20, width: 8, height: 2, radius: 1 }), INK],
];

// Every other cell is a little darker, so that distances can be counted.
const FLOORS: readonly Colour[] = [
  [244, 239, 228],
  [233, 225, 208],
];

/** Every cell there can be, drawn once, on a light and on a dark floor. */
export const tiles: Readonly<Record<Content, readonly Tile[]>> = {
  floor: FLOORS.map((floor) => paint(floor, [])),
  wall: FLOORS.map((floor) => paint(floor, WALL)),
  coin: FLOORS.map((floor) => paint(floor, COIN)),
  goal: FLOORS.map((floor) => paint(floor, GOAL)),
  player: FLOORS.map((floor) => paint(floor, PLAYER)),
  playerAtGoal: FLOORS.map((floor) => paint(floor, [...GOAL, ...PLAYER])),
};

function paint(floor: Colour, layers: Layers): Tile {
  const tile = new Uint8Array(CELL * CELL * 4);
  for (let pixel = 0; pixel < CELL * CELL; pixel += 1) {
    const x = (pixel % CELL) + 0.5;
    const y = Math.floor(pixel / CELL) + 0.5;
    let colour = floor;
    // An edge that crosses a pixel covers a part of it: that is what makes edges smooth.
    for (const [shape, top, opacity = 1] of layers)
      colour = mix(colour, top, opacity * Math.min(1, Math.max(0, 0.5 - shape(x, y))));
    tile.set([...colour.map(Math.round), 255], pixel * 4);
  }
  return tile;
}

function mix(below: Colour, top: Colour, cover: number): Colour {
  const channel = (at: 0 | 1 | 2) => below[at] + (top[at] - below[at]) * cover;
  return [channel(0), channel(1), channel(2)];
}
