import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('each is given a turn of its own, in the order they asked', async () => {
  const turns = new Turns();
  const seen: string[] = [];
  const loop = setInterval(() => {});
  const tick = () => {
    seen.push('turn');
    if (seen.filter((each) => each !== 'turn').length < 3) setImmediate(tick);
  };
  setImmediate(tick);
  await Promise.all(['a', 'b', 'c'].map((name) => turns.next().then(() => seen.push(name))));
  clearInterval(loop);
  expect(seen.filter((each) => each !== 'turn')).toEqual(['a', 'b', 'c']);
  expect(seen.indexOf('turn', seen.indexOf('a'))).toBeLessThan(seen.indexOf('b'));
  expect(seen.indexOf('turn', seen.indexOf('b'))).toBeLessThan(seen.indexOf('c'));
});
