import { describe, expect, test } from 'vitest';
import { startServer } from '../support/http.ts';
import { logLines } from '../support/log-lines.ts';
import { testCommonFlows, testSlowSetup, textOutput } from './client-flows.ts';
import { testProgramOf } from './programs.ts';
import { describeWithPython, MODES, shareFlows } from './python.ts';

describeWithPython('the client of ors-sdk 0.1.0', () => {
  const run = shareFlows();

  describe.each(MODES)('%s', (mode) => {
    const client = { sdk: 'ors', mode } as const;
    testCommonFlows(run, client);

    test('D3: plays an episode of the second environment', async () => {
      const { url, counters } = await startServer();
      expect(await run('second_environment', { ...client, url }, { by: 'task' })).toEqual({
        prompt: [{ type: 'text', text: 'code: b.py', detail: null }],
        tools: ['run'],
        call: textOutput('ran b.py'),
      });
      expect(counters.runs).toEqual({ run: 1 });
    });

    test('B15: omits the environment of a task by index, and the call says so instead of running elsewhere', async () => {
      const { url, counters } = await startServer();
      const { prompt, call } = await run('second_environment', { ...client, url }, { by: 'index' });
      expect(prompt[0].text).toBe('math: What is 1+1?');
      expect(call).toMatchObject({
        error: 'RuntimeError',
        text: expect.stringContaining("runs environment 'math', not 'code_env'"),
      });
      expect(counters.runs).toEqual({});
    });

    test('C19: gets a tool that throws as a RuntimeError, and may go on', async () => {
      const { url } = await startServer();
      const { broken, next } = await run('broken_tool', { ...client, url });
      expect(broken).toMatchObject({ error: 'RuntimeError', text: expect.stringMatching(/first line\nsecond line$/) });
      expect(next).toEqual(textOutput('nothing needed'));
    });

    test('P11, L7: is told why setup failed', async () => {
      const { url, counters } = await startServer();
      const outcome = await run('failed_setup', { ...client, url }, { reason: 'no disk' });
      expect(outcome).toMatchObject({ error: 'RuntimeError', text: expect.stringMatching(/500.*no disk/) });
      expect(counters).toMatchObject({ setups: 1, teardowns: 1 });
    });

    test('P9, B12: is told when its session was ended elsewhere, and asks three times to end it', async () => {
      const lines = logLines();
      const { url, counters } = await startServer({ logger: lines.logger });
      const { call, next } = await run('ended_elsewhere', { ...client, url });
      expect(call).toMatchObject({ error: 'RuntimeError', text: expect.stringContaining('410') });
      expect(next).toMatchObject({ error: 'RuntimeError', text: expect.stringContaining('410') });
      expect(counters).toMatchObject({ teardowns: 1, runs: {} });
      // Its own three, after the one from elsewhere.
      expect(lines.text().match(/"url":"\/delete"/g)).toHaveLength(4);
    });
  });

  testProgramOf('README.md', run, 'ors');
  testSlowSetup(run, 'ors');
});
