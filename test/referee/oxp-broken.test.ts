import { expect, test } from 'vitest';
import { calculator, doorbell, messages } from '../../examples/toolkit/toolkit.ts';
import { BROKEN } from './oxp-broken.ts';
import { examineOxp, idsOf, KEY, startServer } from './oxp-examine.ts';
import { startBreaking } from './oxp-proxy.ts';

test.each(BROKEN)('a server that $what fails $ids', async ({ ids, how, wantsKey }) => {
  const toolkits = [calculator, doorbell, messages];
  const auth = wantsKey ? { auth: { apiKeys: [KEY] } } : {};
  const url = await startBreaking(await startServer({ toolkits, ...auth }), how);
  const findings = await examineOxp(url, { credentials: wantsKey ? { 'X-API-Key': KEY } : {} });
  expect(idsOf(findings, 'fail')).toEqual(ids);
  // A reader of the report must see what went wrong on the wire.
  for (const { exchanges, verdict, group } of findings) {
    if (verdict === 'fail' && group !== 'Endpoints') expect(exchanges.length).toBeGreaterThan(0);
  }
});
