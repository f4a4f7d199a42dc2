import { SessionTerminated } from 'tiltyard/client';
import { expect, test } from 'vitest';
import { openSession, quickClient, rejection } from '../support/client.ts';
import { startForeign } from '../support/foreign.ts';
import { startServer } from '../support/http.ts';

test('a session that was begun elsewhere can be used by its id, and goes on when it is let go of', async () => {
  const server = await startServer();
  const { sid } = await openSession(server);
  const attached = quickClient(server).environment('math').attach(sid);
  expect((await attached.call('noargs')).text).toBe('nothing needed');
  await attached.close();
  expect(server.counters).toMatchObject({ setups: 1, teardowns: 0 });
  expect((await server.call(sid, 'noargs')).result).toMatchObject({ ok: true });
});

test('an attached session calls on servers that choose the ids of calls themselves', async () => {
  const server = await startForeign();
  const attached = quickClient(server).environment('math').attach('somebody');
  expect((await attached.call('add')).text).toBe('done');
  await attached.close();
  expect(server.on('/delete')).toEqual([]);
});

test('an id that the server does not have ends the attached session', async () => {
  const server = await startServer();
  const attached = quickClient(server).environment('math').attach('nobody');
  expect(await rejection(attached.call('noargs'))).toBeInstanceOf(SessionTerminated);
});
