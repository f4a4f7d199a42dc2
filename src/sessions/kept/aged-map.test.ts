import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AgedMap } from './aged-map.ts';

function withKeys(...keys: string[]): AgedMap<number> {
  const map = new AgedMap<number>();
  for (const [at, key] of keys.entries()) map.set(key, at);
  return map;
}

/** Empties a map from its oldest entry on. */
function drain(map: AgedMap<number>): [string, number][] {
  const drained: [string, number][] = [];
  for (let oldest = map.oldest; oldest !== undefined; oldest = map.oldest) {
    drained.push([oldest.key, oldest.value]);
    map.delete(oldest.key);
  }
  return drained;
}

test('the oldest entry is the one that was set first', () => {
  const map = withKeys('a', 'b', 'c');
  expect(map.size).toBe(3);
  expect([map.get('b'), map.has('b'), map.get('d'), map.has('d')]).toEqual([1, true, undefined, false]);
  expect(drain(map)).toEqual([
    ['a', 0],
    ['b', 1],
    ['c', 2],
  ]);
  expect([map.size, map.oldest]).toEqual([0, undefined]);
});

test('an entry that is set again is the youngest, with its new value', () => {
  const map = withKeys('a', 'b', 'c', 'a', 'b');
  expect(map.size).toBe(3);
  expect(drain(map)).toEqual([
    ['c', 2],
    ['a', 3],
    ['b', 4],
  ]);
});

test('entries can be deleted anywhere', () => {
  const map = withKeys('a', 'b', 'c', 'd');
  expect(['b', 'd', 'a', 'a'].map((key) => map.delete(key))).toEqual([true, true, true, false]);
  map.set('e', 9);
  expect(drain(map)).toEqual([
    ['c', 2],
    ['e', 9],
  ]);
});

test('whatever is done to it, it has what a Map has, in the order of a Map', () => {
  const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const steps = fc.array(fc.tuple(fc.constantFrom('set', 'delete', 'drop'), keys));
  fc.assert(
    fc.property(steps, (taken) => {
      const [map, model] = [new AgedMap<number>(), new Map<string, number>()];
      for (const [at, [step, key]] of taken.entries()) {
        const gone = step === 'drop' ? map.oldest?.key : key;
        if (gone !== undefined) expect(map.delete(gone)).toBe(model.delete(gone));
        if (step === 'set') map.set(key, at);
        if (step === 'set') model.set(key, at);
        expect([map.size, map.oldest?.key]).toEqual([model.size, [...model.keys()][0]]);
      }
      expect(drain(map)).toEqual([...model]);
    }),
  );
});

test('the oldest of very many is found as quickly as that of few', () => {
  const LIVE = 200_000;
  const map = new AgedMap<number>();
  for (let at = 0; at < LIVE; at += 1) map.set(`${at}`, at);
  const before = process.cpuUsage();
  for (let at = LIVE; at < 2 * LIVE; at += 1) {
    map.delete(map.oldest?.key ?? '');
    map.set(`${at}`, at);
  }
  const { user } = process.cpuUsage(before);
  // Far less on a machine with nothing else to do; with the order of a Map it is far more.
  expect(user / 1_000).toBeLessThan(3_000);
  expect(map.oldest?.value).toBe(LIVE);
});
