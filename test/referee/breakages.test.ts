import { createServer } from 'tiltyard/server';
import { checkServer } from 'tiltyard/testing';
import { expect, test } from 'vitest';
import { shareInFile } from '../support/shared.ts';
import { callBreakages } from './breakages/calls.ts';
import { discoveryBreakages } from './breakages/discovery.ts';
import { httpBreakages } from './breakages/http.ts';
import { readBreakages } from './breakages/reads.ts';
import { reconnectBreakages } from './breakages/reconnects.ts';
import { redirectBreakages } from './breakages/redirects.ts';
import { sessionBreakages } from './breakages/sessions.ts';
import { streamBreakages } from './breakages/streams.ts';
import { other, probed } from './environments.ts';
import { startRewritingProxy } from './rewriting-proxy.ts';

const serving = shareInFile(async () => {
  const server = await createServer({ environments: [probed, other], logger: false });
  return { server, url: await server.listen() };
});

const BREAKAGES = [
  ...httpBreakages,
  ...discoveryBreakages,
  ...sessionBreakages,
  ...readBreakages,
  ...redirectBreakages,
  ...callBreakages,
  ...streamBreakages,
  ...reconnectBreakages,
];

// Short, because only the stream that stays open is waited for.
const TIMEOUT_MS = 1_000;

async function failuresOf(url: string, only: readonly string[]): Promise<string[]> {
  const { protocols } = await checkServer({ url, isActive: true, only, timeoutMs: TIMEOUT_MS });
  return protocols.flatMap(({ findings }) => findings.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id));
}

test.each(BREAKAGES)('a server is caught where %s: %j', async (_what, ids, rewrite) => {
  const url = await startRewritingProxy(serving().url, rewrite);
  const [group = ''] = ids[0] ?? '';
  expect((await failuresOf(url, [`ors/${group}`])).sort()).toEqual([...ids].sort());
});

test('a proxy that changes nothing changes no finding', async () => {
  const url = await startRewritingProxy(serving().url, () => undefined);
  expect(await failuresOf(url, [])).toEqual([]);
});
