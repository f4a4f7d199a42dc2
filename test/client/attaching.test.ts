import { SessionTerminated } from 'tiltyard/client';
import { expect, test } from 'vitest';
import { eventually, openSession, quickClient, rejection } from '../support/client.ts';
import { startForeign } from '../support/foreign.ts';
import { startGated } from '../support/gates.ts';
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

test('letting go of an attached session does not say how a call ends that goes on', async () => {
  const { server, sid, tool, count } = await startGated();
  const attached = quickClient(server).environment('gated').attach(sid);
  const running = rejection(attached.call('wait'));
  await tool.reached;
  await attached.close();
  for (const error of [await running, await rejection(attached.call('wait'))]) {
    expect(error).toBeInstanceOf(SessionTerminated);
    expect(error).toMatchObject({ message: expect.stringMatching(/^the session was closed/), sid, outcome: undefined });
  }
  tool.open();
  await eventually(() => expect(count('wait:end')).toBe(1));
  expect(count('wait:aborted')).toBe(0);
});
