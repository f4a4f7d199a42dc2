import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FewMap } from './few-map.ts';

test('whatever is done to it, it has what a Map has', () => {
  const key = fc.nat(4);
  const step = fc.oneof(
    fc.tuple(fc.constant('set' as const), key, fc.integer()),
    fc.tuple(fc.constant('delete' as const), key, fc.constant(0)),
    fc.tuple(fc.constant('clear' as const), fc.constant(0), fc.constant(0)),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const [few, map] = [new FewMap<number, number>(), new Map<number, number>()];
      for (const [what, at, value] of steps) {
        if (what === 'delete') expect(few.delete(at)).toBe(map.delete(at));
        else if (what === 'set') for (const each of [few, map]) each.set(at, value);
        else for (const each of [few, map]) each.clear();
        expect(few.size).toBe(map.size);
        expect(new Map(few.entries())).toEqual(map);
        expect(few.values().sort()).toEqual([...map.values()].sort());
        for (let other = 0; other < 5; other += 1) expect(few.get(other)).toBe(map.get(other));
      }
    }),
  );
});

test('an entry may be deleted while all are looked at', () => {
  const few = new FewMap<string, number>();
  for (const [index, key] of ['a', 'b', 'c'].entries()) few.set(key, index);
  const seen: number[] = [];
  for (const [key, value] of few.entries()) {
    few.delete(key);
    seen.push(value);
  }
  expect([seen.sort(), few.size]).toEqual([[0, 1, 2], 0]);
});
