import { expect, test } from 'vitest';
import { eventually } from '../support/clock.ts';
import { gate } from '../support/gate.ts';
import { shareServer, startServer, type TestServer } from '../support/http.ts';
import { logLines } from '../support/log-lines.ts';
import { minimal } from '../support/minimal.ts';

const server = shareServer();

/** POSTs to a route of sessions. */
async function send(route: 'ping' | 'delete' | 'delete_session', sid: string, { post } = server()) {
  const { status, json } = await post(`/${route}`, undefined, { sid });
  return { status, json };
}

test('S23: /ping is ok for a live session and 404 for an unknown one', async () => {
  const sid = await server().create();
  expect(await send('ping', sid)).toEqual({ status: 200, json: { status: 'ok' } });
  expect(await send('ping', 'unknown')).toMatchObject({ status: 404, json: { detail: expect.any(String) } });
});

test('S24: /ping is ok while setup runs', async () => {
  const { opened, open } = gate();
  const own = await startServer({ environments: [minimal({ setup: () => opened })] });
  const sid = await own.create();
  expect((await send('ping', sid, own)).status).toBe(200);
  open();
});

test('S24: /ping is ok after setup failed, until the session is deleted', async () => {
  const { create, get } = server();
  const sid = await create({ task_spec: { setup_fail: 'no' } });
  expect((await get('/math/prompt', { sid })).status).toBe(500);
  expect((await send('ping', sid)).status).toBe(200);
  expect((await send('delete', sid)).status).toBe(200);
  expect((await send('ping', sid)).status).toBe(404);
});

test('S25: /delete runs teardown and answers after it', async () => {
  const begun = gate();
  const released = gate();
  const trace: string[] = [];
  const teardown = async () => {
    begun.open();
    await released.opened;
    trace.push('teardown');
  };
  const own = await startServer({ environments: [minimal({ teardown })] });
  const sid = await own.create();
  const deleting = send('delete', sid, own).finally(() => trace.push('answer'));
  await begun.opened;
  // A round trip, so that an early answer would be there by now.
  await own.get('/health');
  released.open();
  expect(await deleting).toEqual({ status: 200, json: { sid } });
  expect(trace).toEqual(['teardown', 'answer']);
});

test('S26: /delete of an unknown or deleted session is 404', async () => {
  const sid = await server().create();
  expect((await send('delete', 'unknown')).status).toBe(404);
  expect((await send('delete', sid)).status).toBe(200);
  expect((await send('delete', sid)).status).toBe(404);
});

test('S27: two deletes of one live session are both 200, and teardown runs once', async () => {
  const { opened, open } = gate();
  let teardowns = 0;
  const teardown = () => {
    teardowns += 1;
    return opened;
  };
  const own = await startServer({ environments: [minimal({ teardown })] });
  const sid = await own.create();
  const arrived = arrivals(own, 2);
  const deletes = [send('delete', sid, own), send('delete', sid, own)];
  await arrived;
  // A round trip, so that both are handled by now.
  await own.get('/health');
  open();
  expect((await Promise.all(deletes)).map(({ status }) => status)).toEqual([200, 200]);
  expect(teardowns).toBe(1);
});

/** Resolves when the server has got so many requests from now on. */
function arrivals({ server: { app } }: TestServer, count: number): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    app.server.on('request', () => {
      seen += 1;
      if (seen === count) resolve();
    });
  });
}

test('S28: a teardown that throws is logged, and /delete is still 200', async () => {
  const lines = logLines();
  const own = await startServer({ logger: lines.logger });
  const sid = await own.create({ task_spec: { teardown_fail: 'the container is gone' } });
  expect(await send('delete', sid, own)).toEqual({ status: 200, json: { sid } });
  expect(lines.text()).toContain('teardown of environment');
  expect(lines.text()).toContain('the container is gone');
  expect(lines.text()).toContain(sid);
});

test('S29: /delete_session is 200 for an unknown, an issued, and a deleted session', async () => {
  const { post, create } = server();
  const issued = (await post('/create_session')).json.sid;
  const deleted = await create();
  await send('delete', deleted);
  for (const sid of ['unknown', issued, deleted]) {
    expect(await send('delete_session', sid)).toEqual({ status: 200, json: { sid } });
  }
});

test('S30: /delete_session of a live session tears it down', async () => {
  const own = await startServer();
  const sid = await own.create();
  expect(await send('delete_session', sid, own)).toEqual({ status: 200, json: { sid } });
  expect(own.counters.teardowns).toBe(1);
  expect((await send('ping', sid, own)).status).toBe(404);
});

test('S31: after /delete the same id can be used again, for a new episode', async () => {
  const { create, call, get } = server();
  const sid = await create({ task_spec: { question: 'first' } });
  await call(sid, 'note', { text: 'old' });
  await send('delete', sid);
  await create({ task_spec: { question: 'second' } }, sid);
  expect((await get('/math/prompt', { sid })).text).toContain('second');
  expect((await call(sid, 'note', { text: 'new' })).result?.output.blocks[0].text).toBe('new');
});

test('S30: a delete while the task is still being read leaves no episode behind', async () => {
  const read = gate();
  let setups = 0;
  const { post } = await startServer({
    environments: [
      minimal({
        splits: { train: { count: 1, get: () => read.opened.then(() => ({ id: 0 })) } },
        setup: () => {
          setups += 1;
        },
      }),
    ],
  });
  const creating = post('/create', { split: 'train', index: 0 }, { sid: 'early' });
  // Accepted as soon as the server knows of the episode that is about to be.
  await eventually(async () => expect((await post('/delete', undefined, { sid: 'early' })).status).toBe(200));
  read.open();
  expect((await creating).status).toBe(410);
  expect((await post('/ping', undefined, { sid: 'early' })).status).toBe(404);
  expect(setups).toBe(0);
});
