import { expect, test } from 'vitest';
import { discoveryBreakages } from './breakages/discovery.ts';
import { httpBreakages } from './breakages/http.ts';
import { readBreakages } from './breakages/reads.ts';
import { redirectBreakages } from './breakages/redirects.ts';
import { sessionBreakages } from './breakages/sessions.ts';
import { shareGoodServer, testBreakages } from './catch-breakages.ts';

const failuresOf = shareGoodServer();

testBreakages(failuresOf, [
  ...httpBreakages,
  ...discoveryBreakages,
  ...redirectBreakages,
  ...sessionBreakages,
  ...readBreakages,
]);

test('a proxy that changes nothing changes no finding', async () => {
  expect(await failuresOf(() => undefined, [])).toEqual([]);
});
