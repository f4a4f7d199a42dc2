import { createServer } from 'tiltyard/server';
import { checkServer } from 'tiltyard/testing';
import { expect, test } from 'vitest';
import { shareInFile } from '../support/shared.ts';
import type { Breakage } from './breakages/rewrites.ts';
import { other, probed } from './environments.ts';
import { type Rewrite, startRewritingProxy } from './rewriting-proxy.ts';

/** Checks a server that is broken so; gives the ids that failed. */
export type FailuresOf = (rewrite: Rewrite, only: readonly string[]) => Promise<string[]>;

/** One good server for all tests of a file, to be broken by each in its own way. */
export function shareGoodServer(): FailuresOf {
  const serving = shareInFile(async () => {
    const server = await createServer({ environments: [probed, other], logger: false });
    return { server, url: await server.listen() };
  });
  return async (rewrite, only) => {
    const url = await startRewritingProxy(serving().url, rewrite);
    const { protocols } = await checkServer({ url, isActive: true, only });
    const failed = protocols.flatMap(({ findings }) => findings.filter(({ verdict }) => verdict === 'fail'));
    return failed.map(({ id }) => id);
  };
}

/** Each breakage must be caught by the ids it names, and by no others of their group. */
export function testBreakages(failuresOf: FailuresOf, breakages: readonly Breakage[]): void {
  test.each(breakages)('a server is caught where %s: %j', async (_what, ids, rewrite) => {
    const [group = ''] = ids[0] ?? '';
    expect((await failuresOf(rewrite, [`ors/${group}`])).sort()).toEqual([...ids].sort());
  });
}
