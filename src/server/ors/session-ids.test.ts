import { expect, test } from 'vitest';
import { Sids } from './session-ids.ts';

test('of more ids than are remembered, the oldest that was not used is given out anew', () => {
  const sids = new Sids();
  const issued = Array.from({ length: 10_000 }, () => sids.issue('anna', undefined));
  const [first = '', second = ''] = issued;
  expect(sids.issue('anna', first)).toBe(first);
  expect(sids.issue('bert', first)).not.toBe(first);
  expect(sids.issue('anna', first)).not.toBe(first);
  expect(sids.issue('anna', issued.at(-1))).toBe(issued.at(-1));
  sids.use(`anna\n${second}`);
  expect(sids.issue('anna', second)).not.toBe(second);
});
