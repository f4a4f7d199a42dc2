import { expect, test } from 'vitest';
import { CallIds, isServerMade } from './call.ts';

test('an id tells the number that it was made of, and nothing else does', () => {
  const ids = new CallIds();
  const number = ids.next();
  const id = ids.toId(number);
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(ids.numberOf(id)).toBe(number);
  const foreign = new CallIds();
  const others = ['mine', foreign.toId(foreign.next()), id.toUpperCase(), `${id.slice(0, -1)}g`, ` ${id}`, `${id}0`];
  // The next one, too: nobody has it yet.
  for (const other of [...others, ids.toId(number + 1)]) expect(ids.numberOf(other), other).toBeUndefined();
});

test('ids of the server have a form that no client can choose', () => {
  const ids = new CallIds();
  expect(isServerMade(ids.toId(ids.next()))).toBe(true);
  for (const id of ['', 'mine', 'x'.repeat(32), 'a'.repeat(31), 'a'.repeat(33), 'A'.repeat(32)])
    expect(isServerMade(id), id).toBe(false);
});
