import { environment } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { checkServer, type Finding } from 'tiltyard/testing';
import { expect, test } from 'vitest';
import { gridworld } from '../../examples/gridworld/environment.ts';
import { gsm8k } from '../../examples/gsm8k/environment.ts';
import { hello } from '../../examples/hello/environment.ts';
import { sandbox } from '../../examples/sandbox/environment.ts';
import { calculator, doorbell, messages } from '../../examples/toolkit/toolkit.ts';
import { startServer } from '../support/http.ts';
import { startForTest } from '../support/shared.ts';
import { other, probed } from './environments.ts';
import { startRewritingProxy } from './rewriting-proxy.ts';

async function findingsOf(url: string, more: object = {}): Promise<readonly Finding[]> {
  const { protocols } = await checkServer({ url, isActive: true, ...more });
  return protocols.flatMap(({ findings }) => findings);
}

function failuresOf(findings: readonly Finding[]): string[] {
  return findings.filter(({ verdict }) => verdict === 'fail').map(({ id, reason }) => `${id}: ${reason}`);
}

function skippedIn(findings: readonly Finding[]): string[] {
  return findings.filter(({ verdict }) => verdict === 'skip').map(({ id }) => id);
}

async function serve(...environments: any[]): Promise<string> {
  const { url } = await startForTest(async () => {
    const server = await createServer({ environments, logger: false });
    return { server, url: await server.listen() };
  });
  return url;
}

test('our server passes everything, with tools of every kind', async () => {
  const { url, counters } = await startServer();
  const findings = await findingsOf(url);
  expect(failuresOf(findings)).toEqual([]);
  expect(skippedIn(findings)).toEqual(['G11', 'D15', 'X3', 'P7']);
  // Nothing is left behind.
  expect(counters.setups).toBeGreaterThan(20);
  expect(counters.teardowns).toBe(counters.setups);
}, 60_000);

test('our server passes everything with a small environment beside another', async () => {
  const findings = await findingsOf(await serve(probed, other));
  expect(failuresOf(findings)).toEqual([]);
  expect(skippedIn(findings)).toEqual(['G11', 'D15', 'X3', 'P7']);
}, 60_000);

test('our server passes everything in both protocols at once', async () => {
  const { url } = await startServer({ toolkits: [calculator, doorbell, messages] });
  const { protocols } = await checkServer({ url, isActive: true });
  expect(protocols.map(({ name, findings }) => [name, failuresOf(findings)])).toEqual([
    ['ors', []],
    ['oxp', []],
  ]);
  // X1 has one path less to look at: /tools is that of OXP here.
  expect(protocols[0]?.findings.find(({ id }) => id === 'X1')?.verdict).toBe('pass');
}, 60_000);

test.each([
  ['hello', hello],
  ['gsm8k', gsm8k],
  ['gridworld', gridworld],
  ['sandbox', sandbox],
])(
  'the example %s passes everything',
  async (_name, example) => {
    expect(failuresOf(await findingsOf(await serve(example)))).toEqual([]);
  },
  60_000,
);

test('without leave to be active no tool runs', async () => {
  const { url, counters } = await startServer();
  const findings = await findingsOf(url, { isActive: false });
  expect(failuresOf(findings)).toEqual([]);
  expect(counters.runs).toEqual({});
  expect(counters.teardowns).toBe(counters.setups);
  expect(findings.filter(({ reason }) => reason?.includes('--active')).length).toBeGreaterThan(30);
}, 60_000);

test('a server with keys passes, and the key is in no finding', async () => {
  const { url } = await startServer({ auth: { apiKeys: ['the-right-key'] } });
  const findings = await findingsOf(url, { headers: { 'x-api-key': 'the-right-key' }, only: ['G', 'D', 'S'] });
  expect(failuresOf(findings)).toEqual([]);
  expect(findings.find(({ id }) => id === 'G11')?.verdict).toBe('pass');
  expect(JSON.stringify(findings)).not.toContain('the-right-key');
});

test('an environment whose tasks cannot be listed is probed by index', async () => {
  const lazy = environment({
    name: 'lazy',
    splits: { train: { type: 'train', count: 1_000_000, get: (index: number) => ({ index }) } },
    prompt: ({ task }) => `task ${task.index}`,
    tools: { look: { run: () => 'seen' } },
  });
  const findings = await findingsOf(await serve(lazy), { only: ['D'] });
  expect(failuresOf(findings)).toEqual([]);
});

test('a server that asks for patience is not blamed for it', async () => {
  const url = await startRewritingProxy(await serve(probed), ({ path }) =>
    path === '/health' ? { status: 429, text: '{"detail":"later"}' } : undefined,
  );
  const findings = await findingsOf(url, { only: ['D1', 'D2'] });
  expect(findings.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['D1', 'skip'],
    ['D2', 'pass'],
  ]);
});
