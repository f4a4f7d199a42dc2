import { expect, test } from 'vitest';
import { CallersIds } from './callers-ids.ts';

/** Lets a caller use ids, each with another number. */
function use(ids: CallersIds, caller: string, count: number): void {
  for (let number = 0; number < count; number += 1) ids.add(caller, `call-${number}`, number);
}

test('an id is remembered for who used it, and for nobody else', () => {
  const ids = new CallersIds();
  ids.add('anna', 'a', 1);
  ids.add('', 'b', 2);
  expect(ids.find('anna', 'a')).toBe(1);
  expect(ids.find('', 'b')).toBe(2);
  for (const [caller, id] of [
    ['bert', 'a'],
    ['', 'a'],
    ['anna', 'b'],
    ['', 'anna\na'],
  ] as const)
    expect(ids.find(caller, id)).toBeUndefined();
});

test('who calls much forgets only his own ids', () => {
  const ids = new CallersIds({ idsOfCaller: 100 });
  ids.add('anna', 'a', 0);
  use(ids, 'bert', 10_000);
  expect(ids.find('anna', 'a')).toBe(0);
  expect(ids.find('bert', 'call-9799')).toBeUndefined();
  expect(ids.find('bert', 'call-9900')).toBe(9_900);
});

test('no id makes its caller look like several', () => {
  const ids = new CallersIds({ maxBytes: 50_000 });
  ids.add('anna', 'a', 0);
  for (let number = 0; number < 1_000; number += 1) ids.add('bert', `${number}\nx`, number);
  expect(ids.find('anna', 'a')).toBe(0);
});

test('when all take too much, those go who have been quiet for longest', () => {
  // Room for three callers with few ids.
  const ids = new CallersIds({ maxBytes: 3_200 });
  const remembered = () =>
    ['anna', 'bert', 'cleo', 'dora'].filter((caller) => ids.find(caller, 'call-0') !== undefined);
  for (const caller of ['anna', 'bert', 'cleo']) use(ids, caller, 1);
  expect(remembered()).toEqual(['anna', 'bert', 'cleo']);
  use(ids, 'anna', 2);
  use(ids, 'dora', 1);
  expect(remembered()).toEqual(['anna', 'cleo', 'dora']);
});

test('the memory of one who goes is free for others, and a caller alone is never forgotten', () => {
  const ids = new CallersIds({ maxBytes: 3_200 });
  const has = (caller: string) => ids.find(caller, 'call-0') !== undefined;
  for (let number = 0; number < 100; number += 1) use(ids, `caller-${number}`, 1);
  const remembered = Array.from({ length: 100 }, (_, number) => has(`caller-${number}`));
  expect(remembered.indexOf(true)).toBe(97);
  use(ids, 'anna', 1_000);
  expect(has('anna')).toBe(true);
  expect(has('caller-99')).toBe(false);
});

test('unless told otherwise, hundreds of thousands of a caller’s ids are remembered', () => {
  const ids = new CallersIds();
  use(ids, 'anna', 300_000);
  expect([ids.find('anna', 'call-0'), ids.find('anna', 'call-299999')]).toEqual([0, 299_999]);
});
