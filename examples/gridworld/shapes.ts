/** The distance of a point from the edge of a shape, in pixels; negative inside. */
export type Shape = (x: number, y: number) => number;

/** Red, green and blue, from 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number];

/** A disc around a point. */
export function disc(x: number, y: number, radius: number): Shape {
  return (px, py) => Math.hypot(px - x, py - y) - radius;
}

/** A box from its left upper corner, with round corners. */
export function box({ x, y, width, height, radius = 0 }: BoxOptions): Shape {
  return (px, py) => {
    const dx = Math.abs(px - x - width / 2) - width / 2 + radius;
    const dy = Math.abs(py - y - height / 2) - height / 2 + radius;
    return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius;
  };
}

/** Where a box is. */
export interface BoxOptions {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly radius?: number;
}

/** A triangle that points to the right: its upright side begins at a point. */
export function pennant(x: number, y: number, width: number, height: number): Shape {
  const slope = Math.hypot(width, height / 2);
  return (px, py) => {
    const below = (Math.abs(py - y - height / 2) * width + (px - x - width) * (height / 2)) / slope;
    return Math.max(x - px, below);
  };
}
