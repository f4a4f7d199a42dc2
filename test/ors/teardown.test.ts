import { describe, expect, test } from 'vitest';
import { eventually, MINUTE, stopClock } from '../support/clock.ts';
import { type GatedServer, startGated } from '../support/gates.ts';
import { startServer } from '../support/http.ts';
import { arrivals } from '../support/stream.ts';

/** Deletes a session; resolves with the status when the server answers. */
async function remove({ server }: GatedServer, sid: string, path = '/delete'): Promise<number> {
  return (await server.post(path, undefined, { sid })).status;
}

describe('an episode', () => {
  test('L6: an episode is set up, prompted, played and torn down, in this order and once', async () => {
    const { get, post, call, create, counters } = await startServer();
    const sid = await create({ task_spec: { setup_ms: 20 } });
    await call(sid, 'noargs');
    await Promise.all([get('/math/prompt', { sid }), get('/math/prompt', { sid }), get('/math/task_tools', { sid })]);
    await call(sid, 'submit', { answer: '0' });
    await post('/delete', undefined, { sid });
    expect(counters.trace).toEqual(['setup', 'noargs:start', 'prompt', 'submit:start', 'teardown']);
  });

  test.each([
    ['is deleted', (gates: GatedServer) => remove(gates, gates.sid)],
    ['is cleaned up by /delete_session', (gates: GatedServer) => remove(gates, gates.sid, '/delete_session')],
    ['lives when the server stops', ({ server }: GatedServer) => server.server.close()],
  ])('L7: an episode that %s is torn down once', async (_how, end) => {
    const gates = await startGated();
    await end(gates);
    await gates.server.server.close();
    expect(gates.trace).toEqual(['setup', 'teardown', 'teardown:end']);
  });

  test('L7: an episode that is deleted by several, while the server stops, is torn down once', async () => {
    const gates = await startGated();
    const { server, teardown } = gates;
    const sid = await server.create({ task_spec: { gates: ['teardown'] } });
    const arrived = arrivals(server, 3);
    const removed = [remove(gates, sid), remove(gates, sid, '/delete_session'), remove(gates, sid)];
    await arrived;
    const closed = server.server.close();
    await eventually(async () => {
      // The server has begun to stop, and all of them wait for the one teardown.
      expect((await server.post('/create', { split: 'train', index: 0 }, { sid: 'late' })).status).toBe(503);
    });
    teardown.open();
    expect(await Promise.all(removed)).toEqual([200, 200, 200]);
    await closed;
    expect([gates.count('teardown'), gates.count('teardown:end')]).toEqual([2, 2]);
  });

  test('L7: an episode that expires is torn down once', async () => {
    const clock = stopClock();
    const { trace, server } = await startGated();
    await clock.pass(60 * MINUTE);
    await server.server.close();
    expect(trace).toEqual(['setup', 'teardown', 'teardown:end']);
  });

  test.each(['deleted', 'expired'])(
    'L7: an episode whose setup failed is torn down once when it is %s',
    async (how) => {
      const clock = stopClock();
      const { post, get, create, counters } = await startServer();
      const sid = await create({ task_spec: { setup_fail: 'no' } });
      expect((await get('/math/prompt', { sid })).status).toBe(500);
      expect(counters.teardowns).toBe(0);
      if (how === 'deleted') await post('/delete', undefined, { sid });
      else await clock.pass(20 * MINUTE);
      await eventually(() => expect(counters.trace).toEqual(['setup', 'teardown:unset']));
      expect((await get('/math/prompt', { sid })).status).toBe(410);
      expect(counters.teardowns).toBe(1);
    },
  );

  test('L7: an episode that is deleted during setup is torn down once, after setup has ended', async () => {
    const gates = await startGated();
    const sid = await gates.server.create({ task_spec: { gates: ['setup'] } });
    await gates.setup.reached;
    expect(await remove(gates, sid)).toBe(200);
    expect(gates.trace).toEqual(['setup', 'setup', 'teardown:unset', 'teardown:end']);
  });

  test('L7: an episode whose setup does not end when aborted is torn down all the same, after a grace', async () => {
    const gates = await startGated({ limits: { graceMs: 20 } });
    const sid = await gates.server.create({ task_spec: { gates: ['setup'], deaf: true } });
    await gates.setup.reached;
    expect(await remove(gates, sid)).toBe(200);
    gates.setup.open();
    await gates.server.server.close();
    expect(gates.count('teardown:unset')).toBe(1);
  });

  test('L7: an episode whose setup ends within the grace is torn down with its state', async () => {
    const gates = await startGated();
    const sid = await gates.server.create({ task_spec: { gates: ['setup'], deaf: true } });
    await gates.setup.reached;
    const removed = remove(gates, sid);
    await eventually(async () => expect((await gates.server.post('/ping', undefined, { sid })).status).toBe(404));
    expect(gates.count('teardown')).toBe(0);
    gates.setup.open();
    expect(await removed).toBe(200);
    expect(gates.trace).toEqual(['setup', 'setup', 'teardown', 'teardown:end']);
  });
});

describe('deleting a session while a call runs', () => {
  test('L8: deleting aborts the call, ends its stream with an error, and tears down when it has settled', async () => {
    const gates = await startGated();
    const call = gates.open();
    await call.taskId();
    expect(await remove(gates, gates.sid)).toBe(200);
    const events = await call.ended;
    expect(events.map(({ event }) => event)).toEqual(['task_id', 'error']);
    expect(events.at(-1)?.data).toContain('deleted');
    expect(gates.trace).toEqual(['setup', 'wait', 'wait:aborted', 'wait:end', 'teardown', 'teardown:end']);
  });

  test('L8: teardown waits for a call that takes its time to end', async () => {
    const gates = await startGated();
    const call = gates.open({ name: 'deaf' });
    await call.taskId();
    const removed = remove(gates, gates.sid);
    // The client hears at once, although the tool still runs.
    expect((await call.ended).at(-1)?.event).toBe('error');
    expect(gates.trace).toEqual(['setup', 'deaf']);
    gates.tool.open();
    expect(await removed).toBe(200);
    expect(gates.trace).toEqual(['setup', 'deaf', 'deaf:end', 'teardown', 'teardown:end']);
  });

  test('L8: teardown does not wait longer than the grace', async () => {
    const gates = await startGated({ limits: { graceMs: 20 } });
    await gates.open({ name: 'deaf' }).taskId();
    expect(await remove(gates, gates.sid)).toBe(200);
    expect(gates.trace).toEqual(['setup', 'deaf', 'teardown', 'teardown:end']);
  });

  test('L8: deleting never starts the calls that waited for their turn', async () => {
    const gates = await startGated();
    const calls = [gates.open(), gates.open(), gates.open()];
    await Promise.all(calls.map((call) => call.taskId()));
    await remove(gates, gates.sid);
    for (const call of calls) expect((await call.ended).at(-1)?.event).toBe('error');
    expect(gates.count('wait')).toBe(1);
  });

  test('L8: stopping the server ends a call in the same way', async () => {
    const gates = await startGated();
    const call = gates.open();
    await call.taskId();
    await gates.server.server.close();
    expect((await call.ended).at(-1)?.event).toBe('error');
    expect(gates.trace).toEqual(['setup', 'wait', 'wait:aborted', 'wait:end', 'teardown', 'teardown:end']);
  });
});

describe('a teardown that hangs', () => {
  test('L9: a teardown that hangs does not hold up the expiry of other sessions', async () => {
    const clock = stopClock();
    const gates = await startGated();
    await gates.server.create({ task_spec: { gates: ['teardown'] } });
    await gates.server.create({ task_spec: { gates: ['teardown'] } });
    const last = await gates.server.create();
    await clock.pass(20 * MINUTE);
    // Two hang; the one before them and the one after them are torn down.
    await eventually(() => expect([gates.count('teardown'), gates.count('teardown:end')]).toEqual([4, 2]));
    expect((await gates.server.get('/gated/prompt', { sid: last })).status).toBe(410);
    gates.teardown.open();
  });

  test('L9: a teardown that hangs does not hold up the /delete of another session', async () => {
    const gates = await startGated();
    const hanging = await gates.server.create({ task_spec: { gates: ['teardown'] } });
    const removed = remove(gates, hanging);
    await gates.teardown.reached;
    expect(await remove(gates, gates.sid)).toBe(200);
    expect(gates.count('teardown:end')).toBe(1);
    gates.teardown.open();
    expect(await removed).toBe(200);
  });

  test('L9: a teardown that hangs holds up its own /delete only until its time is over, and its sid is free again', async () => {
    const gates = await startGated({ limits: { teardownMs: 20 } });
    const sid = await gates.server.create({ task_spec: { gates: ['teardown'] } });
    expect(await remove(gates, sid)).toBe(200);
    expect((await gates.server.get('/gated/prompt', { sid })).status).toBe(410);
    await gates.server.create({ split: 'train', index: 0 }, sid);
    expect((await gates.server.get('/gated/prompt', { sid })).status).toBe(200);
  });
});
