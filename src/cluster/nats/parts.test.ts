import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PartsReader, toParts } from './parts.ts';

const LIMIT = 4_096 + 10;

test('what was cut into parts comes together again, also after one that was begun and left', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 100 }), fc.nat(9), (bytes, left) => {
      const parts = toParts(bytes, LIMIT);
      const reader = new PartsReader();
      const add = (index: number) => reader.add({ index, count: parts.length, bytes: parts[index] as Uint8Array });
      for (let index = 0; index < Math.min(left, parts.length - 1); index += 1) expect(add(index)).toBeUndefined();
      const wholes = parts.map((_, index) => add(index));
      expect(wholes.slice(0, -1).every((each) => each === undefined)).toBe(true);
      expect(Buffer.from(wholes.at(-1) as Uint8Array)).toEqual(Buffer.from(bytes));
    }),
  );
});

test('parts without their beginning are nothing', () => {
  const reader = new PartsReader();
  expect(reader.add({ index: 1, count: 2, bytes: Buffer.from('b') })).toBeUndefined();
});
