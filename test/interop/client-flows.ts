import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { shareServer, startServer } from '../support/http.ts';
import { afterTaskId, beforeTaskId, cutServer, insideTheResult } from './cuts.ts';
import { MODES, type OfficialClient, type RunFlow, type Sdk } from './python.ts';

const FORMATS = ['openai', 'anthropic', 'google', 'openrouter'];

/** What an official client gives for text. */
export function textOutput(text: string, more: object = {}): object {
  return { blocks: [{ type: 'text', text, detail: null }], metadata: null, reward: null, finished: false, ...more };
}

/** What an episode on task 3 gives: the same for every client, however the task was named. */
export const EPISODE = {
  prompt: [
    { type: 'text', text: 'math: What is 3+3?', detail: null },
    { type: 'image', data: 'aGk=', mimeType: 'image/png', detail: null },
  ],
  details: {
    blocks: [
      { type: 'text', text: 'a', detail: { k: 1 } },
      { type: 'image', data: 'aGk=', mimeType: 'image/png', detail: { w: 2 } },
    ],
    metadata: { m: [1, null] },
    reward: 0.5,
    finished: false,
  },
  submit: textOutput('Correct!', { reward: 1, finished: true }),
} as const;

/** The flows that both packages have, sync and async, with the same outcome. */
export function testCommonFlows(run: RunFlow, client: OfficialClient): void {
  test('D2, D7, D27: finds splits, tasks and tools', async () => {
    const { url, json } = await startServerWithTools();
    const found = await run('discovery', { ...client, url });
    expect(found).toMatchObject({
      splits: ['train', 'test', 'hard'],
      tasks: [{ answer: '0' }, { answer: '2' }, { answer: '4' }],
      count: 10,
      task: { question: 'What is 3+3?', answer: '6' },
      range: ['4', '6', '8'],
      last: ['16', '18'],
      whole: 10,
    });
    expect(found.tools).toEqual(json.tools);
    const names = found.tools.map(({ name }: { name: string }) => name);
    expect(found.formats).toEqual(Object.fromEntries(FORMATS.map((format) => [format, names])));
  });

  test('D14, D19: is told what was wrong with a split or an index', async () => {
    const { url } = await startServer();
    const { split, index } = await run('bad_requests', { ...client, url });
    expect(split).toMatchObject({ status: 400, text: expect.stringContaining("unknown split 'nope'") });
    expect(index).toMatchObject({ status: 400, text: expect.stringContaining('no task 99') });
  });

  test.each(['task', 'index'])('S5, P1, C3: plays an episode by %s', async (by) => {
    const { url, counters } = await startServer();
    expect(await run(`episode_by_${by}`, { ...client, url })).toEqual(EPISODE);
    expect(counters.trace).toEqual(['setup', 'prompt', 'details:start', 'submit:start', 'teardown']);
  });

  test('P5, C23: sees and calls the tools of its task', async () => {
    const { url, counters } = await startServer();
    const { shared, listed, formats, called, hidden, refused } = await run('task_tools', { ...client, url });
    expect(listed).toEqual([...shared, 'hint']);
    expect(formats).toEqual(Object.fromEntries(FORMATS.map((format) => [format, listed])));
    expect(called).toEqual(textOutput('think'));
    expect(hidden).toEqual(shared);
    expect(refused).toMatchObject({ error: 'ToolCallError' });
    expect(counters.runs).toEqual({ hint: 1 });
  });

  test('S19, B20: hands its secrets to the environment', async () => {
    const { url } = await startServer();
    const { blocks } = await run('secrets', { ...client, url }, { values: { MY_KEY: 'grün 🔑' } });
    expect(JSON.parse(blocks[0].text)).toMatchObject({ MY_KEY: 'grün 🔑' });
  });

  test('G11: gets in with the right API key only', async () => {
    const { url } = await startServer({ auth: { apiKeys: ['right'] } });
    expect(await run('denied', { ...client, url, api_key: 'wrong' })).toMatchObject({ error: 'AuthenticationError' });
    expect(await run('episode_by_index', { ...client, url, api_key: 'right' })).toEqual(EPISODE);
  });

  test('C8, C9, C20, C25: gets a refused call as a ToolCallError and goes on', async () => {
    const { url, counters } = await startServer();
    const outcomes = await run('refusals', { ...client, url });
    const refused = (text: string) => ({ error: 'ToolCallError', text: expect.stringContaining(text) });
    expect(outcomes).toMatchObject({
      'unknown tool': refused("'nope' is not a valid tool"),
      'bad input': refused('Tool input validation error: answer'),
      'no object': refused('Tool input must be a dictionary'),
      'tool error': refused("Tool 'fail' failed: the file is not there"),
      'good call': textOutput('Correct!', { reward: 1, finished: true }),
      'after the end': refused('The episode is finished'),
    });
    expect(counters.runs).toEqual({ fail: 1, submit: 1 });
  });

  test('B3, E6: a megabyte of indented text, of spaces and of emoji arrives as it was sent', async () => {
    const { url } = await startServer();
    const pieces: [piece: string, count: number][] = [
      ['        indented\n', 61_681],
      [' ', 1_048_576],
      ['\u00a0\u3000 \u2028', 104_858],
      ['🙂', 262_144],
    ];
    const arrived = await run('texts', { ...client, url }, { pieces });
    expect(arrived).toEqual(pieces.map(([piece, count]) => toDigest(piece.repeat(count))));
  });

  test('R2, K4: a connection that is cut after task_id costs nothing: one execution', async () => {
    const { url, counters } = await startServer();
    const { proxy, ...cut } = await cutServer(url, afterTaskId);
    expect(await run('one_call', { ...client, ...cut }, { tool: 'slow', input: { ms: 200 } })).toEqual(
      textOutput('waited 200'),
    );
    expect(proxy.cuts).toBe(1);
    expect(counters.runs).toEqual({ slow: 1 });
  });

  test('R3, K3: a connection that is cut inside the result costs nothing: one execution', async () => {
    const { url, counters } = await startServer();
    const { proxy, ...cut } = await cutServer(url, insideTheResult);
    const input = { n: 100_000, ch: '  ab' };
    expect(await run('one_call', { ...client, ...cut }, { tool: 'big', input })).toEqual(
      textOutput(input.ch.repeat(input.n)),
    );
    expect(proxy.cuts).toBe(1);
    expect(counters.runs).toEqual({ big: 1 });
  });

  test('quirk: a connection that is cut before task_id makes the client call again: two executions', async () => {
    const { url, counters } = await startServer();
    const { proxy, ...cut } = await cutServer(url, beforeTaskId);
    await run('one_call', { ...client, ...cut }, { tool: 'echo', input: { value: 1 } });
    expect(proxy.cuts).toBe(1);
    expect(counters.runs).toEqual({ echo: 2 });
  });

  test('S32, L7: a hundred sessions at once leave nothing behind', async () => {
    const { url, counters, post } = await startServer();
    const episodes: [sid: string, reward: number][] = await run('many_sessions', { ...client, url }, { count: 100 });
    expect(episodes.map(([, reward]) => reward)).toEqual(Array(100).fill(1));
    expect(counters).toMatchObject({ setups: 100, teardowns: 100, runs: { submit: 100 } });
    const pings = await Promise.all(episodes.map(([sid]) => post('/ping', undefined, { sid })));
    expect(pings.filter(({ status }) => status !== 404)).toEqual([]);
  });
}

/** The setup that takes longer than any client waits in silence; it runs beside the tests of the file. */
export function testSlowSetup(run: RunFlow, sdk: Sdk): void {
  const server = shareServer();
  let calls: Promise<object[]> | undefined;
  beforeAll(() => {
    const call = { tool: 'noargs', setup_ms: 40_000 };
    calls = Promise.all(MODES.map((mode) => run('one_call', { sdk, mode, url: server().url }, call)));
    // The test below tells of a failure.
    calls.catch(() => {});
  });

  test('B19, C29: a setup of 40 s and a call at once: one execution for each client', async () => {
    expect(await calls).toEqual(MODES.map(() => textOutput('nothing needed')));
    expect(server().counters).toMatchObject({ setups: 2, teardowns: 2, runs: { noargs: 2 } });
  });
}

async function startServerWithTools() {
  const server = await startServer();
  return { ...server, json: (await server.get('/math/tools')).json };
}

function toDigest(text: string): [characters: number, hash: string] {
  // Python counts code points.
  return [[...text].length, createHash('sha256').update(text).digest('hex')];
}
