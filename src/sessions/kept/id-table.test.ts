import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ABSENT, IdTable } from './id-table.ts';

const half = fc.oneof(fc.integer(), fc.constantFrom(0, 1, -1, 2 ** 31, 2 ** 32 - 1));
// Of few, so that many of them meet in a slot.
const crowded = fc.integer({ min: 0, max: 3 });

test('whatever is put into it, it has what a Map has', () => {
  const halves = fc.oneof(fc.tuple(half, half), fc.tuple(crowded, crowded), fc.tuple(half, crowded));
  const entries = fc.array(fc.tuple(halves, fc.nat()), { maxLength: 300 });
  fc.assert(
    fc.property(entries, halves, (all, other) => {
      const [table, model] = [new IdTable(), new Map<string, number>()];
      const keyOf = ([high, low]: readonly number[]) => `${Number(high) >>> 0} ${Number(low) >>> 0}`;
      for (const [[high, low], number] of all) {
        // A free slot looks like this; no id has such a hash.
        if (high >>> 0 === 0 && low >>> 0 === 0) continue;
        table.set(high, low, number);
        model.set(keyOf([high, low]), number);
      }
      expect(table.size).toBe(model.size);
      for (const [[high, low]] of all) {
        expect(table.get(high, low)).toBe(model.get(keyOf([high, low])) ?? ABSENT);
      }
      expect(table.get(...other)).toBe(model.get(keyOf(other)) ?? ABSENT);
    }),
  );
});

test('a full table becomes several, each for a part of the hashes, and loses none', () => {
  const COUNT = 100_000;
  const table = new IdTable();
  const highOf = (number: number) => Math.imul(number, 0x9e3779b1);
  const lowOf = (number: number) => Math.imul(number + 1, 0x85ebca77);
  for (let number = 0; number < COUNT; number += 1) table.set(highOf(number), lowOf(number), number);
  expect(table.size).toBe(COUNT);
  let found = 0;
  for (let number = 0; number < COUNT; number += 1) if (table.get(highOf(number), lowOf(number)) === number) found += 1;
  expect(found).toBe(COUNT);
  expect(table.get(highOf(COUNT), lowOf(COUNT))).toBe(ABSENT);
  const bytesPerId = table.bytes / COUNT;
  expect(bytesPerId).toBeGreaterThan(16);
  expect(bytesPerId).toBeLessThan(43);
});

test('an empty table takes little', () => {
  expect(new IdTable().bytes).toBe(256);
});

test('a table that was cleared has nothing, and keeps its room for others', () => {
  const table = new IdTable();
  const hashes = Array.from({ length: 20_000 }, (_, at) => [Math.imul(at + 1, 0x9e3779b1), at + 1] as const);
  for (const [high, low] of hashes) table.set(high, low, low);
  const { bytes } = table;
  table.clear();
  expect(table).toMatchObject({ size: 0, bytes });
  for (const [high, low] of hashes) expect(table.get(high, low)).toBe(ABSENT);
  for (const [high, low] of hashes) table.set(high, low, 2 * low);
  for (const [high, low] of hashes) expect(table.get(high, low)).toBe(2 * low);
  expect(table).toMatchObject({ size: hashes.length, bytes });
});
