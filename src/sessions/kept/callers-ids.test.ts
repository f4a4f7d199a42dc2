import { expect, test } from 'vitest';
import { toCallKey } from '../key.ts';
import { CallersIds } from './callers-ids.ts';

/** Lets a caller use ids, each with another number. */
function use(ids: CallersIds, caller: string, count: number): void {
  for (let number = 0; number < count; number += 1) ids.add(toCallKey(caller, `call-${number}`));
}

test('an id is remembered for who used it, and for nobody else', () => {
  const ids = new CallersIds();
  ids.add(toCallKey('anna', 'a'));
  ids.add(toCallKey('', 'b'));
  expect(ids.has(toCallKey('anna', 'a'))).toBe(true);
  expect(ids.has(toCallKey('', 'b'))).toBe(true);
  for (const [caller, id] of [
    ['bert', 'a'],
    ['', 'a'],
    ['anna', 'b'],
    ['', 'anna\na'],
  ] as const)
    expect(ids.has(toCallKey(caller, id))).toBe(false);
});

test('who calls much forgets only his own ids', () => {
  const ids = new CallersIds({ idsOfCaller: 100 });
  ids.add(toCallKey('anna', 'a'));
  use(ids, 'bert', 10_000);
  expect(ids.has(toCallKey('anna', 'a'))).toBe(true);
  expect(ids.has(toCallKey('bert', 'call-9799'))).toBe(false);
  expect(ids.has(toCallKey('bert', 'call-9900'))).toBe(true);
});

test('no id makes its caller look like several', () => {
  const ids = new CallersIds({ maxBytes: 20_000 });
  ids.add(toCallKey('anna', 'a'));
  for (let number = 0; number < 1_000; number += 1) ids.add(toCallKey('bert', `${number}\nx`));
  expect(ids.has(toCallKey('anna', 'a'))).toBe(true);
});

test('when all take too much, those go who have been quiet for longest', () => {
  // Room for three callers with few ids.
  const ids = new CallersIds({ maxBytes: 3_000 });
  const remembered = () => ['anna', 'bert', 'cleo', 'dora'].filter((caller) => ids.has(toCallKey(caller, 'call-0')));
  for (const caller of ['anna', 'bert', 'cleo']) use(ids, caller, 1);
  expect(remembered()).toEqual(['anna', 'bert', 'cleo']);
  use(ids, 'anna', 2);
  use(ids, 'dora', 1);
  expect(remembered()).toEqual(['anna', 'cleo', 'dora']);
});

test('the memory of one who goes is free for others, and a caller alone is never forgotten', () => {
  const ids = new CallersIds({ maxBytes: 3_000 });
  for (let number = 0; number < 100; number += 1) use(ids, `caller-${number}`, 1);
  const remembered = Array.from({ length: 100 }, (_, number) => ids.has(toCallKey(`caller-${number}`, 'call-0')));
  expect(remembered.indexOf(true)).toBe(97);
  use(ids, 'anna', 1_000);
  expect(ids.has(toCallKey('anna', 'call-0'))).toBe(true);
  expect(ids.has(toCallKey('caller-99', 'call-0'))).toBe(false);
});
