import { describe, expect, test } from 'vitest';
import { eventually } from '../support/clock.ts';
import { startServer } from '../support/http.ts';
import { linesOf, logLines } from '../support/log-lines.ts';

const WARNED = 'a task_id was used again for another tool or input, and nothing ran. Every call needs an id of its own';
const REUSED = /^tiltyard_task_ids_reused_total\{environment="math"\} (\d+)$/m;

describe('a task_id that comes again with another tool or input', () => {
  test.each([
    ['the client chose', 'mine'],
    ['the server made', undefined],
  ])('R7: that %s gets the first result, is counted each time, and warned of once', async (_who, chosen) => {
    const lines = logLines();
    const { call, create, counters, get } = await startServer({ logger: lines.logger });
    const sid = await create();
    const first = await call(sid, 'echo', { value: 'first' }, chosen === undefined ? {} : { taskId: chosen });
    const taskId = first.taskId ?? '';
    for (const [name, input] of [
      ['echo', { value: 'second' }],
      ['noargs', {}],
      ['no_such_tool', {}],
    ] as const)
      expect((await call(sid, name, input, { taskId })).events).toEqual(first.events);
    expect(counters.runs).toEqual({ echo: 1 });
    expect(REUSED.exec((await get('/metrics')).text)?.[1]).toBe('3');
    await eventually(() => expect(linesOf(lines, WARNED)).toHaveLength(1));
    expect(linesOf(lines, WARNED)).toMatchObject([
      { level: 40, sid, environment: 'math', taskId, tool: 'echo', refused: false },
    ]);
  });

  test.each([
    ['small', 10],
    ['large', 20_000],
  ])('of a %s result is noticed, and a true repeat is not, in whatever order its keys are', async (_size, n) => {
    const { call, create, get } = await startServer({ sessions: { reusedTaskIds: 'refuse' } });
    const sid = await create();
    const first = await call(sid, 'big', { n, ch: 'x' }, { taskId: 'mine' });
    expect((await call(sid, 'big', { ch: 'x', n }, { taskId: 'mine' })).events).toEqual(first.events);
    expect(REUSED.exec((await get('/metrics')).text)?.[1]).toBe('0');
    expect((await call(sid, 'big', { ch: 'y', n }, { taskId: 'mine' })).status).toBe(409);
    expect(REUSED.exec((await get('/metrics')).text)?.[1]).toBe('1');
  });

  test('a default that the server adds to an input does not make it another one', async () => {
    const { call, create } = await startServer({ sessions: { reusedTaskIds: 'refuse' } });
    const sid = await create();
    const first = await call(sid, 'num', { x: 1 }, { taskId: 'mine' });
    expect(first.status).toBe(200);
    expect((await call(sid, 'num', { x: 1 }, { taskId: 'mine' })).events).toEqual(first.events);
  });

  test('is 409 where the server refuses it, also while the first call runs, and nothing changes', async () => {
    const { call, create, counters } = await startServer({ sessions: { reusedTaskIds: 'refuse' } });
    const sid = await create();
    const running = call(sid, 'slow', { ms: 300 }, { taskId: 'mine' });
    await eventually(() => expect(counters.runs.slow).toBe(1));
    const during = await call(sid, 'slow', { ms: 1 }, { taskId: 'mine' });
    expect(during).toMatchObject({ status: 409, json: { code: 'task_id_reused' } });
    expect(during.json.detail).toContain("task_id 'mine' was used before for another tool or input");
    const first = await running;
    expect(first.status).toBe(200);
    expect(await call(sid, 'noargs', {}, { taskId: 'mine' })).toMatchObject({ status: 409 });
    expect((await call(sid, 'slow', { ms: 300 }, { taskId: 'mine' })).events.at(-1)).toEqual(first.events.at(-1));
    expect(counters.runs).toEqual({ slow: 1 });
  });

  test('is 409 to the official SDKs as well: it is no matter of the model', async () => {
    const { call, create } = await startServer({ sessions: { reusedTaskIds: 'refuse' } });
    const sid = await create();
    const headers = { 'user-agent': 'openreward-sdk/0.1' };
    await call(sid, 'echo', { value: 'first' }, { taskId: 'mine', headers });
    expect((await call(sid, 'echo', { value: 'second' }, { taskId: 'mine', headers })).status).toBe(409);
  });

  test('of a call that was refused is free for a better input', async () => {
    const { call, create } = await startServer({ sessions: { reusedTaskIds: 'refuse' } });
    const sid = await create();
    expect((await call(sid, 'num', { x: [] }, { taskId: 'mine' })).status).toBe(400);
    expect((await call(sid, 'num', { x: 1 }, { taskId: 'mine' })).status).toBe(200);
  });
});
