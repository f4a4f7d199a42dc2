import { expect, test } from 'vitest';
import { whatJsonLoses } from './json-loss.ts';

class Money {
  readonly cents: number;

  constructor(cents: number) {
    this.cents = cents;
  }
}

class Id {
  readonly map = new Map();

  toJSON() {
    return 'id';
  }
}

test.each<[saved: unknown, loss: string]>([
  [Number.NaN, 'NaN'],
  [{ best: Number.NEGATIVE_INFINITY }, "-Infinity at 'best'"],
  [{ bought: new Map() }, "a Map at 'bought'"],
  [[{ at: new Date(0) }], "a Date at '[0].at'"],
  [{ row: [1, undefined] }, "nothing at 'row[1]'"],
  [{ row: new Array(1) }, "nothing at 'row[0]'"],
  [{ board: new Uint8Array(2) }, "a typed array at 'board'"],
  [{ board: Buffer.from('a') }, "a typed array at 'board'"],
  [{ next: () => 1 }, "a function at 'next'"],
  [{ cause: new Error('a') }, "an Error at 'cause'"],
])('of %o JSON loses something', (saved, loss) => {
  expect(whatJsonLoses(saved)).toBe(loss);
});

test.each([
  [null],
  ['text'],
  [{ a: [1, -0, { b: undefined, c: null }], d: true }],
  // Made again by `restore`.
  [{ purse: new Money(5) }],
  [{ id: new Id() }],
  [Object.assign(Object.create(null), { a: 1 })],
])('of %o it loses nothing that matters', (saved) => {
  expect(whatJsonLoses(saved)).toBeUndefined();
});
