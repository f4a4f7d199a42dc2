import { describe, expect, test } from 'vitest';
import { startServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { EPISODE, testCommonFlows, testSlowSetup, textOutput } from './client-flows.ts';
import { testProgramOf } from './programs.ts';
import { describeWithPython, MODES, type OfficialClient, shareFlows } from './python.ts';

// Without a variant the client uses paths without an environment, and follows the redirects.
const CLIENTS = MODES.flatMap((mode): [string, OfficialClient][] => [
  [`${mode}, no variant`, { sdk: 'openreward', mode }],
  [`${mode}, variant math`, { sdk: 'openreward', mode, variant: 'math' }],
]);

describeWithPython('the client of openreward 0.1.167', () => {
  const run = shareFlows();

  describe.each(CLIENTS)('%s', (_name, client) => {
    testCommonFlows(run, client);

    test('B5, K10: branches on the reason of a refused call', async () => {
      const { url } = await startServer();
      const outcomes: Record<string, { reason: string }> = await run('refusals', { ...client, url });
      const reasons = Object.entries(outcomes).map(([name, { reason }]) => [name, reason]);
      expect(Object.fromEntries(reasons)).toEqual({
        'unknown tool': 'not_found',
        'bad input': 'input_validation',
        'no object': 'bad_input_shape',
        // It knows no reason for a failure that a tool reports, and takes any it does not know for this one.
        'tool error': 'not_found',
        'good call': undefined,
        'after the end': 'episode_finished',
      });
    });

    test('C19, B8: gets a tool that throws as ToolFailed, and ends the session', async () => {
      const { url, counters } = await startServer();
      const { broken, next } = await run('broken_tool', { ...client, url });
      expect(broken).toMatchObject({ error: 'ToolFailed', text: expect.stringMatching(/first line\nsecond line$/) });
      expect(next).toMatchObject({ error: 'SessionTerminatedError' });
      expect(counters).toMatchObject({ teardowns: 1, runs: { boom: 1 } });
    });

    test('P11, L7: is told why setup failed', async () => {
      const { url, counters } = await startServer();
      const outcome = await run('failed_setup', { ...client, url }, { reason: 'no disk' });
      expect(outcome).toMatchObject({ status: 500, text: expect.stringContaining('no disk') });
      expect(counters).toMatchObject({ setups: 1, teardowns: 1 });
    });

    test('P9, B12: is told when its session was ended elsewhere', async () => {
      const { url, counters } = await startServer();
      const { call, next } = await run('ended_elsewhere', { ...client, url });
      expect(call).toMatchObject({ error: 'SessionTerminatedError', text: expect.stringContaining('410') });
      expect(next).toMatchObject({ error: 'SessionTerminatedError' });
      expect(counters).toMatchObject({ teardowns: 1, runs: {} });
    });

    test('S21: does without a toolset that the server does not have', async () => {
      const { url, counters } = await startServer();
      expect(await run('toolset_fallback', { ...client, url })).toEqual(EPISODE);
      expect(counters).toMatchObject({ setups: 1, teardowns: 1 });
    });

    test('X6, S4: takes it well that the server has no messages, terminal tool or group scores', async () => {
      const { url } = await startServer();
      expect(await run('platform_features', { ...client, url })).toEqual({
        version: { version: expect.stringMatching(/^\d+\.\d+\.\d+/), build_sha: null },
        messages: [{ role: 'user', blocks: EPISODE.prompt, detail: null }],
        openai: [{ role: 'user', content: [{ type: 'text', text: 'math: What is 3+3?' }, expect.anything()] }],
        terminal: null,
        final: false,
        scores: false,
        score: { error: 'ScoreGroupUnsupported', text: expect.any(String) },
        call: textOutput('nothing needed'),
      });
    });
  });

  test.each(MODES.flatMap((mode) => [[mode, 'task'] as const, [mode, 'index'] as const]))(
    'D3, D28: %s, a variant is an environment: plays an episode of the second one by %s',
    async (mode, by) => {
      const { url, counters } = await startServer();
      const client = { sdk: 'openreward', mode, variant: 'code_env', url } as const;
      expect(await run('second_environment', client, { by })).toEqual({
        prompt: [{ type: 'text', text: 'code: b.py', detail: null }],
        tools: ['run'],
        call: textOutput('ran b.py'),
      });
      expect(counters.runs).toEqual({ run: 1 });
    },
  );

  test.each(MODES.flatMap((mode) => [[mode, 'task'] as const, [mode, 'index'] as const]))(
    'Q17: %s, without a variant the name is an environment: plays an episode of the second one by %s',
    async (mode, by) => {
      const { url, counters } = await startServer();
      expect(await run('second_environment', { sdk: 'openreward', mode, url }, { by })).toEqual({
        prompt: [{ type: 'text', text: 'code: b.py', detail: null }],
        tools: ['run'],
        call: textOutput('ran b.py'),
      });
      expect(counters.runs).toEqual({ run: 1 });
    },
  );

  test.each(MODES)('Q17: %s, reads which secrets an environment requires', async (mode) => {
    const environments = [minimal({ name: 'free' }), minimal({ name: 'keyed', requirements: { secrets: ['KEY'] } })];
    const { url } = await startServer({ environments });
    const client = { sdk: 'openreward', mode, url, address: 'variable' } as const;
    const names = ['me/keyed', 'keyed', 'me/free', 'me/unknown'];
    expect(await run('required_secrets', client, { names })).toEqual({
      'me/keyed': ['KEY'],
      keyed: ['KEY'],
      'me/free': [],
      'me/unknown': expect.objectContaining({ text: expect.stringContaining('404') }),
    });
  });

  test.each(MODES)('%s, finds the server by OPENREWARD_SESSION_URL', async (mode) => {
    const { url } = await startServer();
    const client = { sdk: 'openreward', mode, url, address: 'variable' } as const;
    expect(await run('episode_by_task', client)).toEqual(EPISODE);
  });

  test.each(MODES)('quirk: %s, puts its API key among the secrets of every session', async (mode) => {
    const { url } = await startServer();
    const client = { sdk: 'openreward', mode, url, api_key: 'mine' } as const;
    const { blocks } = await run('secrets', client, { values: {} });
    expect(JSON.parse(blocks[0].text)).toEqual({ api_key: 'mine', OPENREWARD_API_KEY: 'mine' });
  });

  testProgramOf('docs/interop.md', run, 'openreward');
  testSlowSetup(run, 'openreward');
});
