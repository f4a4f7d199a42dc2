import { expect, test } from 'vitest';
import { SessionIds } from './session-ids.ts';

test('of more ids than are remembered, the oldest that was not used is given out anew', () => {
  const ids = new SessionIds();
  const issued = Array.from({ length: 10_000 }, () => ids.issue('anna', undefined));
  const [first = '', second = ''] = issued;
  expect(ids.issue('anna', first)).toBe(first);
  expect(ids.issue('bert', first)).not.toBe(first);
  expect(ids.issue('anna', first)).not.toBe(first);
  expect(ids.issue('anna', issued.at(-1))).toBe(issued.at(-1));
  ids.use({ identity: 'anna', sid: second });
  expect(ids.issue('anna', second)).not.toBe(second);
});
