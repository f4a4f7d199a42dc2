import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environment, step, tool, toolkit } from 'tiltyard';
import { readEpisode } from 'tiltyard/records';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { PlaySubject, StreamEvent } from '../../src/studio/api.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startServer, type TestOptions } from '../support/http.ts';
import { openStudio, type TestStudio } from './studio-client.ts';
import { type Table, tableOf } from './table.ts';

const MATH: PlaySubject = { kind: 'episode', environment: 'math', choice: { split: 'train', index: 2 } };

interface Stage {
  readonly studio: TestStudio;
  begin(subject?: PlaySubject, secrets?: Record<string, string>): Promise<Table>;
}

async function stage(options: TestOptions = {}, apiKey = ''): Promise<Stage> {
  const { url } = await startServer(options);
  const studio = await openStudio({ targets: [{ name: url, url, apiKey, isModule: false }] });
  return {
    studio,
    async begin(subject = MATH, secrets = {}) {
      const { id } = await studio.ask('POST /api/plays', {}, { body: { target: 't1', subject, secrets } });
      return tableOf(studio, id);
    },
  };
}

describe('U2: playing', () => {
  test('an episode goes from its prompt to its reward, and each step comes over the stream', async () => {
    const { studio, begin } = await stage();
    const table = await begin();
    expect(await table.ready()).toMatchObject({
      status: 'ready',
      prompt: [{ type: 'text', text: 'math: What is 2+2?' }, { type: 'image' }],
      total: null,
      sid: expect.any(String),
    });
    const stream = await studio.stream(`play/${table.id}`, 'plays');
    await studio.ask('POST /api/plays/:play/steps', { play: table.id }, { body: { tool: 'details', input: {} } });
    const isStep = (event: StreamEvent) => event.type === 'step';
    expect(await stream.next(isStep)).toMatchObject({ step: { n: 0, status: 'running', ms: null } });
    expect(await stream.next(isStep)).toMatchObject({
      step: { status: 'returned', result: { reward: 0.5, finished: false, metadata: { m: [1, null] } } },
      head: { total: 0.5, stepCount: 1 },
    });
    expect(await table.call('submit', { answer: '4' })).toMatchObject({ result: { reward: 1, finished: true } });
    expect(await table.play()).toMatchObject({ status: 'finished', total: 1.5 });
    const late = await studio.request('POST', `/api/plays/${table.id}/steps`, {
      body: '{"tool":"noargs","input":{}}',
      headers: { 'content-type': 'application/json' },
    });
    expect([late.status, late.body.error.code]).toEqual([409, 'conflict']);
  });

  test('failures are told by class, with advice', async () => {
    const { begin } = await stage();
    const table = await begin();
    await table.ready();
    const kindOf = async (tool: string, input?: object) => (await table.call(tool, input)).problem;
    expect(await kindOf('nobody')).toMatchObject({ kind: 'refused', advice: expect.stringContaining('Choose one') });
    expect(await kindOf('submit', { answer: 5 })).toMatchObject({ kind: 'refused' });
    expect(await kindOf('fail')).toMatchObject({ kind: 'tool', message: expect.stringContaining('not there') });
    expect(await kindOf('boom')).toMatchObject({ kind: 'environment', advice: expect.stringContaining('log') });
    expect(await table.play()).toMatchObject({ status: 'ready', stepCount: 4, total: null });
  });

  test('a setup that fails, a task that is not there and a server that is away are told as such', async () => {
    const { studio, begin } = await stage();
    const failed = async (choice: object) =>
      (await begin({ kind: 'episode', environment: 'math', choice } as PlaySubject)).ready();
    expect(await failed({ task: { setup_fail: 'no disk' } })).toMatchObject({
      status: 'failed',
      problem: { kind: 'environment', code: 'setup_failed' },
    });
    expect(await failed({ split: 'train', index: 99 })).toMatchObject({
      status: 'failed',
      problem: { kind: 'refused' },
    });
    const gone = await studio.ask('POST /api/targets', {}, { body: { url: 'http://127.0.0.1:9' } });
    expect(gone).toMatchObject({ status: 'down', problem: { kind: 'server' } });
    const body = { target: gone.id, subject: MATH };
    const table = tableOf(studio, (await studio.ask('POST /api/plays', {}, { body })).id);
    expect(await table.ready()).toMatchObject({ status: 'failed', problem: { kind: 'server' } });
  });

  test('a call that runs can be given up, and its session goes on', async () => {
    const { studio, begin } = await stage();
    const { id, ready, call, play } = await begin();
    await ready();
    await studio.ask('POST /api/plays/:play/steps', { play: id }, { body: { tool: 'slow', input: { ms: 60_000 } } });
    expect((await play()).steps[0]?.status).toBe('running');
    await studio.ask('POST /api/plays/:play/steps/:step/cancel', { play: id, step: 0 });
    expect(await call('parallel', { ms: 1 })).toMatchObject({ status: 'returned' });
    expect((await play()).steps[0]).toMatchObject({ status: 'cancelled', problem: { kind: 'cancelled' } });
  });

  test('an expired session says so, and can be played again', async () => {
    const { studio, begin } = await stage();
    const table = await begin();
    const { sid } = await table.ready();
    await table.call('note', { text: 'a' });
    const { url } = (await studio.ask('GET /api/targets'))[0] ?? { url: '' };
    await fetch(`${url}/delete`, { method: 'POST', headers: { 'x-session-id': sid ?? '' } });
    expect((await table.call('note', { text: 'b' })).problem).toMatchObject({ kind: 'session' });
    expect(await table.play()).toMatchObject({ status: 'lost', problem: { advice: expect.stringContaining('again') } });
    const again = await studio.ask('POST /api/plays/:play/branch', { play: table.id }, { body: { keep: 1 } });
    const { status, steps } = await tableOf(studio, again.id).ready();
    expect([status, steps[0]?.result?.blocks[0]]).toEqual(['ready', expect.objectContaining({ text: 'a' })]);
  });

  test('the wire of each step is there, and no key or secret is in any answer', async () => {
    const auth = { apiKeys: ['key-of-the-server-1234'] };
    const { studio, begin } = await stage({ auth }, 'key-of-the-server-1234');
    // A name that the studio might use for the key.
    const table = await begin(MATH, { apiKey: 'very-secret-token-5678' });
    await table.ready();
    await table.call('secret');
    await table.call('echo', { value: { 'very-secret-token-5678': ['very-secret-token-5678'] } });
    await table.call('boom', { message: 'very-secret-token-5678' });
    const wires = await Promise.all(
      [0, 1, 2].map((step) => studio.ask('GET /api/plays/:play/steps/:step/wire', { play: table.id, step })),
    );
    expect(wires[0]?.[0]).toMatchObject({
      request: { method: 'POST', headers: { 'x-api-key': '[masked]' }, body: expect.stringContaining('"secret"') },
      response: { status: 200, body: expect.stringContaining('event: end') },
    });
    const branch = await studio.ask('POST /api/plays/:play/branch', { play: table.id }, { body: { keep: 3 } });
    const branched = await tableOf(studio, branch.id).ready();
    expect(branched.divergences).toBe(0);
    const all = [
      wires,
      branched,
      await table.play(),
      await studio.ask('GET /api/targets'),
      await studio.ask('GET /api/studio'),
      await studio.ask('GET /api/plays'),
      ...(await Promise.all(
        (['game', 'test', 'curl'] as const).map((as) =>
          studio.ask('GET /api/plays/:play/export', { play: table.id }, { query: { as } }),
        ),
      )),
    ];
    expect(JSON.stringify(all)).not.toMatch(/very-secret-token-5678|key-of-the-server-1234/);
    expect((await table.play()).secrets).toEqual(['apiKey']);
  });

  test('the next task begins with the secrets of the play before it; a task of your own begins once more', async () => {
    const { studio, begin } = await stage();
    const next = async (play: string) => {
      const { id } = await studio.ask('POST /api/plays/:play/next', { play });
      return tableOf(studio, id).ready();
    };
    const first = await begin(MATH, { apiKey: 'very-secret-token-5678' });
    const second = await next(first.id);
    expect(second).toMatchObject({
      parent: null,
      subject: { ...MATH, choice: { split: 'train', index: 3 } },
      secrets: ['apiKey'],
    });
    expect(JSON.stringify(second)).not.toContain('very-secret-token-5678');
    const own = { kind: 'episode', environment: 'math', choice: { task: { question: 'Mine?', answer: '1' } } } as const;
    expect(await next((await begin(own)).id)).toMatchObject({ subject: own, secrets: [] });
  });

  test('tools of a toolkit are called without an episode', async () => {
    const add = tool({
      description: 'Add.',
      version: '1.0.0',
      input: z.object({ a: z.number(), b: z.number() }),
      output: z.number(),
      run: ({ a, b }) => a + b,
    });
    const { studio, begin } = await stage({
      environments: [],
      toolkits: [toolkit({ name: 'Calc', tools: { Add: add } })],
    });
    expect(await studio.ask('GET /api/targets/:target/toolkits', { target: 't1' })).toMatchObject([
      { name: 'Calc', tools: [{ id: 'Calc.Add@1.0.0' }] },
    ]);
    const table = await begin({ kind: 'tools' });
    expect(await table.ready()).toMatchObject({ prompt: null, sid: null, tools: [{ name: 'Calc.Add@1.0.0' }] });
    expect(await table.call('Calc.Add@1.0.0', { a: 1, b: 2 })).toMatchObject({ result: { value: 3, reward: null } });
    expect((await table.call('Calc.Add@1.0.0', { a: 'x' })).problem).toMatchObject({ kind: 'refused' });
    const { text } = await studio.ask('GET /api/plays/:play/export', { play: table.id }, { query: { as: 'curl' } });
    expect(text).toContain('"tool_id":"Calc.Add@1.0.0"');
  });
});

describe('U3: rewinding', () => {
  let setups = 0;
  const moody = environment({
    name: 'moody',
    splits: { train: [{ start: 1 }] },
    setup: () => {
      setups += 1;
      return { n: 0, from: setups };
    },
    prompt: () => 'Count.',
    tools: {
      count: {
        run: (_input, { state }) => {
          state.n += 1;
          return step(`${state.n}`, { reward: state.n });
        },
      },
      which: { run: (_input, { state }) => `session ${state.from}` },
    },
  });
  const subject: PlaySubject = { kind: 'episode', environment: 'moody', choice: { split: 'train', index: 0 } };

  test('a branch plays the first calls again in a new session, and marks what came out otherwise', async () => {
    const { studio, begin } = await stage({ environments: [moody] });
    const first = await begin(subject);
    const { sid } = await first.ready();
    await first.call('count');
    await first.call('which');
    await first.call('count');
    const { id } = await studio.ask('POST /api/plays/:play/branch', { play: first.id }, { body: { keep: 2 } });
    const branch = tableOf(studio, id);
    const played = await branch.ready();
    expect(played.sid).not.toBe(sid);
    expect(played).toMatchObject({
      parent: { play: first.id, keep: 2 },
      divergences: 1,
      total: 1,
      steps: [
        { tool: 'count', isReplay: true, divergences: [] },
        { tool: 'which', isReplay: true, divergences: [{ what: 'text' }] },
      ],
    });
    expect(await branch.call('count')).toMatchObject({ isReplay: false, result: { reward: 2 } });
    expect(await first.play()).toMatchObject({ stepCount: 3, status: 'ready' });
    expect((await studio.ask('GET /api/plays')).map(({ parent }) => parent?.play ?? null)).toEqual([null, first.id]);
    const tooMany = await studio.request('POST', `/api/plays/${first.id}/branch`, {
      body: '{"keep":4}',
      headers: { 'content-type': 'application/json' },
    });
    expect(tooMany.status).toBe(400);
  });

  test('a branch is saved as a game that play --script reads, as a test, and as a script for the shell', async () => {
    const { studio, begin } = await stage({ environments: [moody] });
    const table = await begin(subject);
    await table.ready();
    await table.call('count');
    await table.call('nobody', { "it's": '$(rm -rf /)' });
    const exported = (as: 'game' | 'test' | 'curl') =>
      studio.ask('GET /api/plays/:play/export', { play: table.id }, { query: { as } });
    const game = await exported('game');
    const folder = temporaryFolder('tiltyard-game-');
    await writeFile(join(folder, game.name), game.text);
    expect(await readEpisode(join(folder, game.name))).toMatchObject({
      environment: 'moody',
      choice: { split: 'train', index: 0 },
      calls: [
        { tool: 'count', told: { outcome: 'returned', reward: 1 } },
        { tool: 'nobody', told: { failure: {} } },
      ],
    });
    const { text } = await exported('test');
    expect(text).toContain(`await play(moody, { "split":"train","index":0 })`);
    expect(text).toContain('toMatchObject({ reward: 1, finished: false })');
    expect((await exported('curl')).text).toContain(String.raw`"it'\''s":"$(rm -rf /)"`);
    expect((await studio.request('GET', `/api/plays/${table.id}/export?as=pdf`)).status).toBe(400);
  });
});
