import {
  type Client,
  type ConnectOptions,
  connect,
  HttpError,
  OutcomeUnknown,
  SessionTerminated,
  ToolCallError,
  ToolFailed,
} from 'tiltyard/client';
import { beforeAll, expect, test } from 'vitest';
import { afterTaskId, beforeTaskId, cutServer, insideTheResult } from './cuts.ts';

/** A client for an official server; what fails is tried again soon. */
export function connectTo(url: string, options: ConnectOptions = {}): Client {
  return connect(url, { environment: 'math', retry: { pauseMs: 20 }, ...options });
}

/** A task whose events the server counts under a tag. */
export function taggedTask(tag: string, more: Record<string, string | number | boolean> = {}) {
  return { tag, question: 'What is 3+3?', answer: '6', ...more };
}

/** What happened on the server in the episodes of a tag, such as `{ setup: 1, slow: 1 }`. */
export async function countsOf(url: string, tag: string): Promise<Record<string, number>> {
  await using session = await connectTo(url).session({ task: {} });
  const counts = JSON.parse((await session.call('counted')).text) as Record<string, number>;
  const ours = Object.entries(counts).filter(([event]) => event.startsWith(`${tag}:`));
  return Object.fromEntries(ours.map(([event, count]) => [event.slice(tag.length + 1), count]));
}

/** The flows that our client plays against both official servers, with the same outcome. */
export function testCommonServerFlows(serverUrl: () => string): void {
  test('K2: the server frames its events with CRLF and answers /create_session with events', async () => {
    const response = await fetch(`${serverUrl()}/create_session`, { method: 'POST' });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(await response.text()).toMatch(/^event: task_id\r\ndata: [0-9a-f-]{36}\r\n\r\n/);
  });

  test('K18: finds environments, splits, tasks and tools', async () => {
    const client = connectTo(serverUrl());
    const math = client.environment('math');
    expect(await client.environments()).toEqual(['math', 'code_env']);
    expect(await math.splits()).toEqual([
      { name: 'train', type: 'train' },
      { name: 'exam', type: 'test' },
      { name: 'hard', type: 'validation' },
    ]);
    expect(await math.count('train')).toBe(10);
    expect(await math.task('train', 3)).toEqual({ question: 'What is 3+3?', answer: '6' });
    expect((await math.tasks('train')).length).toBe(10);
    expect((await math.range('train', -2)).map(({ answer }) => answer)).toEqual(['16', '18']);
    const walked: unknown[] = [];
    for await (const { answer } of math.walk('train', { start: 7, pageSize: 2 })) walked.push(answer);
    expect(walked).toEqual(['14', '16', '18']);
    const tools = await math.tools();
    expect(tools.map(({ name }) => name)).toEqual(['boom', 'counted', 'repeat', 'secret', 'slow', 'submit']);
    expect(tools.find(({ name }) => name === 'secret')?.input_schema).toBeNull();
  });

  test.each([
    ['an unknown split', 'nope', 0, 'Invalid split'],
    ['an index out of range', 'train', 99, 'Invalid index'],
  ])('K9, K10: %s is an HttpError with what the server said', async (_name, split, index, detail) => {
    const asked = connectTo(serverUrl()).environment('math').task(split, index);
    await expect(asked).rejects.toMatchObject({ name: 'HttpError', status: 400, detail });
  });

  test('K10: an unknown environment is an HttpError with what the server said', async () => {
    const opened = connectTo(serverUrl(), { environment: 'nope' }).session({ task: {} });
    await expect(opened).rejects.toMatchObject({ status: 404, detail: "unknown environment 'nope'" });
  });

  test('K12: the problems of a 422 are made readable', async () => {
    const opened = connectTo(serverUrl()).session({ task: 'no object' as never });
    const error = await opened.catch((thrown) => thrown);
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({
      status: 422,
      detail: expect.stringMatching(/^body\.task_spec: .*mapping|dictionary/),
    });
  });

  test.each([
    ['task', { task: taggedTask('episode') }],
    ['index', { split: 'train', index: 3 }],
  ])('K1, K8: plays an episode by %s', async (_by, request) => {
    await using session = await connectTo(serverUrl()).session(request);
    expect(await session.prompt()).toEqual([
      { type: 'text', text: 'math: What is 3+3?', detail: null },
      { type: 'image', data: 'aGk=', mimeType: 'image/png', detail: null },
    ]);
    expect(await session.call('submit', { answer: '6' })).toEqual({
      blocks: [{ type: 'text', text: 'Correct!', detail: null }],
      text: 'Correct!',
      reward: 1,
      finished: true,
      metadata: { n: [1] },
      taskId: expect.stringMatching(/^[0-9a-f]{32}$/),
      outcome: 'returned',
    });
  });

  test('K8: closing a session runs its teardown, once', async () => {
    const session = await connectTo(serverUrl()).session({ task: taggedTask('closed') });
    await session.prompt();
    await Promise.all([session.close(), session.close()]);
    expect(await countsOf(serverUrl(), 'closed')).toEqual({ setup: 1, teardown: 1 });
  });

  test('K16: plays an episode of the second environment by index', async () => {
    await using session = await connectTo(serverUrl()).environment('code_env').session({ split: 'train', index: 1 });
    expect(await session.prompt()).toMatchObject([{ text: 'code: b.py' }]);
    expect((await session.call('run')).text).toBe('ran b.py');
  });

  test('K17: sees and calls the tools of its task', async () => {
    const client = connectTo(serverUrl());
    await using session = await client.session({ task: taggedTask('hint') });
    const shared = (await client.environment('math').tools()).map(({ name }) => name);
    expect((await session.tools()).map(({ name }) => name)).toEqual([...shared, 'hint']);
    expect((await session.call('hint')).text).toBe('think');
    for (const format of ['openai', 'anthropic', 'google'] as const) {
      expect(JSON.stringify(await session.tools({ format }))).toContain('"hint"');
    }
  });

  test('K15: hands its secrets to the environment', async () => {
    const secrets = { MY_KEY: 'grün 🔑', OTHER: 'x'.repeat(5_000) };
    await using session = await connectTo(serverUrl()).session({ task: taggedTask('secrets'), secrets });
    expect(JSON.parse((await session.call('secret')).text)).toEqual(secrets);
  });

  test('K10: a refused call is a ToolCallError with its reason, and the session goes on', async () => {
    await using session = await connectTo(serverUrl()).session({ task: taggedTask('refused') });
    const unknown = await session.call('nope').catch((error) => error);
    expect(unknown).toBeInstanceOf(ToolCallError);
    expect(unknown).toMatchObject({ reason: 'not_found', message: "'nope' is not a valid tool" });
    const bad = await session.call('submit', { answer: 7 }).catch((error) => error);
    expect(bad).toBeInstanceOf(ToolCallError);
    expect(bad).toMatchObject({
      reason: 'input_validation',
      message: expect.stringMatching(/^Tool input validation error: .*'answer'/),
    });
    expect((await session.call('submit', { answer: '6' })).reward).toBe(1);
    expect(await countsOf(serverUrl(), 'refused')).toMatchObject({ submit: 1 });
  });

  test('K11: a tool that throws is a ToolFailed with the whole message', async () => {
    await using session = await connectTo(serverUrl()).session({ task: taggedTask('broken') });
    const error = await session.call('boom').catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ToolFailed);
    expect(error.message).toBe('first line\nsecond line');
    expect(await countsOf(serverUrl(), 'broken')).toMatchObject({ boom: 1 });
  });

  test('K9: a failed setup is an HttpError that is not tried again', async () => {
    await using session = await connectTo(serverUrl()).session({
      task: taggedTask('unset', { setup_fail: 'no disk' }),
    });
    const error = await session.call('slow', { seconds: 0 }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ status: 500, detail: 'RuntimeError: no disk' });
    expect(await countsOf(serverUrl(), 'unset')).toMatchObject({ setup: 1 });
  });

  test('K11: a session that was ended elsewhere is SessionTerminated, and later calls fail at once', async () => {
    const session = await connectTo(serverUrl()).session({ task: taggedTask('ended') });
    await session.prompt();
    await fetch(`${serverUrl()}/delete`, { method: 'POST', headers: { 'x-session-id': session.sid } });
    await expect(session.call('secret')).rejects.toBeInstanceOf(SessionTerminated);
    await expect(session.prompt()).rejects.toBeInstanceOf(SessionTerminated);
    await session.close();
    expect(await countsOf(serverUrl(), 'ended')).toEqual({ setup: 1, teardown: 1 });
  });

  test.each([
    ['indented text', '        indented\n', 61_681],
    ['spaces', ' ', 1_048_576],
    ['other white space', '\u00a0\u3000 \u2028\u0085', 209_715],
    ['emoji', '🙂', 262_144],
  ])('B3, K2: a megabyte of %s arrives as it was sent', async (_name, piece, count) => {
    await using session = await connectTo(serverUrl()).session({ task: taggedTask('long') });
    const { text } = await session.call('repeat', { piece, count });
    // Not toBe: a difference of a megabyte is nothing to print.
    expect(text === piece.repeat(count)).toBe(true);
  });

  test('K4: a connection that is cut after task_id costs nothing: one execution', async () => {
    const { url, proxy } = await cutServer(serverUrl(), afterTaskId);
    await using session = await connectTo(url).session({ task: taggedTask('cut') });
    expect((await session.call('slow', { seconds: 0.2 })).text).toBe('waited');
    expect(proxy.cuts).toBe(1);
    expect(await countsOf(serverUrl(), 'cut')).toMatchObject({ slow: 1 });
  });

  test('K3: a connection that is cut inside the result costs nothing: one execution', async () => {
    const { url, proxy } = await cutServer(serverUrl(), insideTheResult);
    await using session = await connectTo(url).session({ task: taggedTask('cut inside') });
    const { text } = await session.call('repeat', { piece: '  ab', count: 100_000 });
    expect(text === '  ab'.repeat(100_000)).toBe(true);
    expect(proxy.cuts).toBe(1);
    expect(await countsOf(serverUrl(), 'cut inside')).toMatchObject({ repeat: 1 });
  });

  test('K5: a connection that is cut before task_id is OutcomeUnknown: at most one execution', async () => {
    const { url, proxy } = await cutServer(serverUrl(), beforeTaskId);
    await using session = await connectTo(url).session({ task: taggedTask('unknown') });
    await expect(session.call('slow', { seconds: 0 })).rejects.toBeInstanceOf(OutcomeUnknown);
    expect(proxy.cuts).toBe(1);
    expect((await countsOf(serverUrl(), 'unknown')).slow ?? 0).toBeLessThanOrEqual(1);
    // The session itself is unharmed.
    expect((await session.call('submit', { answer: '6' })).reward).toBe(1);
  });

  test("K5: with onUnknown: 'repeat' the same is called again, which may run it twice", async () => {
    const { url, proxy } = await cutServer(serverUrl(), beforeTaskId);
    await using session = await connectTo(url, { onUnknown: 'repeat' }).session({ task: taggedTask('repeated') });
    expect((await session.call('slow', { seconds: 0 })).text).toBe('waited');
    expect(proxy.cuts).toBe(1);
    expect(await countsOf(serverUrl(), 'repeated')).toMatchObject({ slow: 2 });
  });

  test('K8: a hundred sessions at once leave nothing behind', async () => {
    const client = connectTo(serverUrl());
    const episode = async () => {
      await using session = await client.session({ task: taggedTask('many') });
      await session.prompt();
      return (await session.call('submit', { answer: '6' })).reward;
    };
    expect(await Promise.all(Array.from({ length: 100 }, episode))).toEqual(Array(100).fill(1));
    expect(await countsOf(serverUrl(), 'many')).toEqual({ setup: 100, submit: 100, teardown: 100 });
  });
}

/** The setup that takes longer than most clients wait in silence; it runs beside the tests of the file. */
export function testSlowOfficialSetup(serverUrl: () => string): void {
  let outcome: Promise<unknown[]> | undefined;
  beforeAll(() => {
    const play = async () => {
      await using session = await connectTo(serverUrl()).session({ task: taggedTask('slow', { setup_seconds: 40 }) });
      const [prompt, call] = await Promise.all([session.prompt(), session.call('slow', { seconds: 0 })]);
      return [prompt.length, call.text];
    };
    outcome = play();
    // The test below tells of a failure.
    outcome.catch(() => {});
  });

  test('K6, K19: a setup of 40 s, prompt and call at once: one execution', async () => {
    expect(await outcome).toEqual([2, 'waited']);
    expect(await countsOf(serverUrl(), 'slow')).toEqual({ setup: 1, slow: 1, teardown: 1 });
  });
}
