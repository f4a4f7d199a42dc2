import type { ServerOptions } from 'tiltyard/server';
import { describe, expect, test } from 'vitest';
import { sums } from '../../examples/toolkit/environment.ts';
import { calculator, doorbell, messages } from '../../examples/toolkit/toolkit.ts';
import { detectOxp, OXP_EXCUSED, oxpProbes } from '../../src/checking/referee/oxp/index.ts';
import { Recorder } from '../../src/checking/referee/recorder.ts';
import { toolFixture } from '../oxp/toolkits.ts';
import { examineOxp, idsOf, KEY, startServer, toOptions } from './oxp-examine.ts';

// How many numbered requirements each group of the list for OXP has; those of its client (K) are not a server's.
const GROUPS = { O: 7, V: 3, T: 5, E: 7, I: 4, S: 6 };

test('every requirement of OXP has a probe or a reason for having none', () => {
  const ids = Object.entries(GROUPS).flatMap(([group, count]) =>
    Array.from({ length: count }, (_, index) => `${group}${index + 1}`),
  );
  // What agents over MCP need of names is seen in the same list.
  const probed = oxpProbes.map(({ id }) => id).filter((id) => id !== 'M21');
  expect([...probed, ...Object.keys(OXP_EXCUSED)].sort()).toEqual(ids.sort());
});

describe('our own server', () => {
  test('passes every probe with the toolkits of the example', async () => {
    const findings = await examineOxp(await startServer({ toolkits: [calculator, doorbell, messages] }));
    expect(findings.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect(idsOf(findings, 'skip')).toEqual(['S2', 'S3', 'S4']);
  });

  test('passes every probe with the toolkits of the conformance tests', async () => {
    // The tools of Slow wait for the test that calls them.
    const toolkits = toolFixture().toolkits.filter(({ name }) => name !== 'Slow');
    const findings = await examineOxp(await startServer({ toolkits }));
    expect(findings.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  });

  test('passes every probe where a key is wanted', async () => {
    const url = await startServer({ toolkits: [calculator, doorbell, messages], auth: { apiKeys: [KEY] } });
    const findings = await examineOxp(url, { credentials: { 'X-API-Key': KEY } });
    expect(findings.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect(idsOf(findings, 'skip')).toEqual(['S1']);
  });

  test('runs no tool while it is only looked at', async () => {
    const { toolkits, runs } = toolFixture();
    const findings = await examineOxp(await startServer({ toolkits }), { isActive: false });
    expect(runs).toEqual([]);
    expect(idsOf(findings, 'fail')).toEqual([]);
    expect(idsOf(findings, 'pass')).toEqual(['O1', 'O2', 'O3', 'O4', 'O5', 'O7', 'M21', 'V3', 'T4', 'E1', 'S1']);
  });
});

describe('whether a server speaks OXP', () => {
  test.each<[string, ServerOptions, boolean]>([
    ['of tools', { toolkits: [calculator] }, true],
    ['of tools that wants a key', { toolkits: [calculator], auth: { apiKeys: [KEY] } }, true],
    ['of environments and tools', { environments: [sums], toolkits: [calculator] }, true],
    ['of environments alone', { environments: [sums] }, false],
  ])('is seen of a server %s', async (_what, options, expected) => {
    expect(await detectOxp(new Recorder(toOptions(await startServer(options))))).toBe(expected);
  });
});
