import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { keepTickShape, keptTick } from './tick-shape.ts';

test('an object that Node made for a tick is kept, and always the same one', async () => {
  keepTickShape();
  await setImmediate();
  const kept = keptTick();
  // What Node puts there; should it put it elsewhere one day, nothing is kept, and calls are slower again.
  expect(kept).toHaveProperty('callback', expect.any(Function));
  keepTickShape();
  await setImmediate();
  expect(keptTick()).toBe(kept);
});
