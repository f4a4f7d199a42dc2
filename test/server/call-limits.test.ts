import { describe, expect, test } from 'vitest';
import { openSession } from '../support/client.ts';
import { eventually } from '../support/clock.ts';
import { expectError } from '../support/errors.ts';
import { startServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { type Stage, startStage } from '../support/stage.ts';
import { type OpenCall, openCall } from '../support/stream.ts';

/** A stage on which two tools run at a time and one call waits. */
function startSmall(): Promise<Stage> {
  return startStage({ limits: { maxCallsInFlight: 2, maxCallsQueued: 1, graceMs: 0 } });
}

/** Starts a call that waits at its gate, and resolves when it has been taken. */
async function take({ open }: Stage, tag: string): Promise<void> {
  await open('together', tag).taskId();
}

describe('calls of one session', () => {
  test('wait while others are in flight, and begin as soon as one of those has ended', async () => {
    const stage = await startSmall();
    for (const tag of ['a', 'b', 'c']) await take(stage, tag);
    expect(stage.trace).toEqual(['together a', 'together b']);
    stage.gate('b').open();
    await stage.gate('c').reached;
    expect(stage.trace).toEqual(['together a', 'together b', 'together b ends', 'together c']);
  });

  test('are 429 beyond those that may wait: nothing runs, and the task_id is as good as new', async () => {
    const stage = await startSmall();
    const { server, sid } = stage;
    for (const tag of ['a', 'b', 'c']) await take(stage, tag);
    const callD = (headers = {}) =>
      server.call(sid, 'together', { tag: 'd' }, { env: 'stage', taskId: 'call-d', headers });
    // The official clients take refusals of tools inside the stream; this one they must see, to try again.
    for (const headers of [{}, { 'user-agent': 'openreward-sdk/1.0' }]) {
      const refused = await callD(headers);
      expectError(refused, 429, `call limit of session '${sid}' reached (3)`);
      expect(refused.json.code).toBe('too_many_calls');
      expect(refused.headers.get('retry-after')).toBe('1');
    }
    for (const tag of ['a', 'b', 'c', 'd']) stage.gate(tag).open();
    await eventually(() => expect(stage.trace).toContain('together c ends'));
    expect((await callD()).result).toMatchObject({ ok: true, output: { blocks: [{ text: 'd' }] } });
    expect(stage.trace.filter((event) => event === 'together d')).toHaveLength(1);
  });

  test('of another session do not count, and neither do those that are asked for again', async () => {
    const stage = await startSmall();
    const { server, open } = stage;
    await open('together', 'a', { taskId: 'call-a' }).taskId();
    for (const tag of ['b', 'c']) await take(stage, tag);
    expect(await open('together', 'a', { taskId: 'call-a' }).taskId()).toBe('call-a');
    const other = await server.create();
    await open('together', 'x', { sid: other }).taskId();
    await stage.gate('x').reached;
  });

  test('that wait for setup are counted as well', async () => {
    const environments = [minimal({ setup: () => new Promise(() => {}) })];
    const limits = { maxCallsInFlight: 1, maxCallsQueued: 1, graceMs: 0 };
    const { create, call } = await startServer({ environments, limits });
    const sid = await create();
    const answers = [1, 2, 3].map(() => call(sid, 'look', {}, { env: 'minimal' }));
    expectError(await Promise.race(answers), 429);
  });

  test('that answer at once take no place: all that waited runs', async () => {
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const tools = {
      slow: { concurrent: true, run: () => begun.then(() => 'slow') },
      quick: { concurrent: true, run: () => 'quick' },
    };
    const server = await startServer({
      environments: [minimal({ tools })],
      limits: { maxCallsInFlight: 1, maxCallsQueued: 10 },
    });
    const sid = await server.create();
    const calls: OpenCall[] = [];
    for (const name of ['slow', 'quick', 'quick', 'quick']) {
      const call = openCall(server, { sid, name, env: 'minimal' });
      // Told as soon as the call is taken.
      await call.taskId();
      calls.push(call);
    }
    begin();
    for (const { ended } of calls) expect((await ended).at(-1)?.event).toBe('end');
  });

  test('are tried again by the client until there is a place', async () => {
    let ends = () => {};
    let runs = 0;
    const ended = new Promise<void>((resolve) => {
      ends = resolve;
    });
    const tools = {
      slow: { concurrent: true, run: () => ended.then(() => 'ended') },
      count: {
        concurrent: true,
        run() {
          runs += 1;
          return 'counted';
        },
      },
    };
    const server = await startServer({
      environments: [minimal({ tools })],
      limits: { maxCallsInFlight: 1, maxCallsQueued: 0 },
    });
    let refused = 0;
    server.server.app.server.on('request', (_request, response) => {
      response.once('finish', () => {
        if (response.statusCode !== 429) return;
        refused += 1;
        ends();
      });
    });
    const session = await openSession(server, { environment: 'minimal' });
    const slow = session.call('slow');
    await eventually(async () =>
      expect((await server.call(session.sid, 'count', {}, { env: 'minimal' })).status).toBe(429),
    );
    expect((await session.call('count')).text).toBe('counted');
    await slow;
    expect(refused).toBeGreaterThan(0);
    expect(runs).toBe(1);
  });
});

describe('results that are kept', () => {
  const SIZE = 10_000;
  const start = async (maxKeptBytes: number) => {
    const runs: string[] = [];
    const tools = {
      make: {
        input: { type: 'object' },
        run({ tag }: { tag: string }) {
          runs.push(tag);
          return tag.padEnd(SIZE, '.');
        },
      },
    };
    const server = await startServer({ environments: [minimal({ tools })], limits: { maxKeptBytes } });
    const sid = await server.create();
    const make = (tag: string) => server.call(sid, 'make', { tag }, { env: 'minimal', taskId: `call-${tag}` });
    return { runs, make };
  };

  test('make room, the oldest first; their ids stay used, so that nothing runs twice', async () => {
    const { runs, make } = await start(2.5 * SIZE);
    for (const tag of ['a', 'b', 'c']) expect((await make(tag)).result?.ok).toBe(true);
    expect((await make('c')).result?.ok).toBe(true);
    expect((await make('b')).result?.ok).toBe(true);
    expect((await make('a')).error).toBe('unknown task_id');
    expect(runs).toEqual(['a', 'b', 'c']);
  });

  test('are always the newest, whatever its size', async () => {
    const { runs, make } = await start(0);
    await make('a');
    expect((await make('a')).result?.ok).toBe(true);
    await make('b');
    expect((await make('a')).error).toBe('unknown task_id');
    expect(runs).toEqual(['a', 'b']);
  });
});
