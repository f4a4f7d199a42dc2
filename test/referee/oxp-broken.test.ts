import { createServer, type Server, type ServerOptions } from 'tiltyard/server';
import { expect, test } from 'vitest';
import { calculator, doorbell, messages } from '../../examples/toolkit/toolkit.ts';
import { shareInFile } from '../support/shared.ts';
import { BROKEN } from './oxp-broken.ts';
import { examineOxp, idsOf, KEY } from './oxp-examine.ts';
import { startBreaking } from './oxp-proxy.ts';

const toolkits = [calculator, doorbell, messages];

const open = shareInFile(async () => serve({}));
const withKey = shareInFile(async () => serve({ auth: { apiKeys: [KEY] } }));

async function serve(options: ServerOptions): Promise<{ server: Server; url: string }> {
  const server = await createServer({ toolkits, logger: false, ...options });
  return { server, url: await server.listen() };
}

test.each(BROKEN)('a server that $what fails $ids', async ({ ids, how, wantsKey }) => {
  const url = await startBreaking((wantsKey ? withKey() : open()).url, how);
  const findings = await examineOxp(url, { credentials: wantsKey ? { 'X-API-Key': KEY } : {} });
  expect(idsOf(findings, 'fail')).toEqual(ids);
  // A reader of the report must see what went wrong on the wire.
  for (const { exchanges, verdict, group } of findings) {
    if (verdict === 'fail' && group !== 'Endpoints') expect(exchanges.length).toBeGreaterThan(0);
  }
});
