import { connect } from 'tiltyard/client';
import { createServer } from 'tiltyard/server';
import { expect, onTestFinished, test } from 'vitest';
import { durableEnvironments } from '../hosts/durable-environments.ts';
import { Stage } from '../hosts/stage.ts';
import { newFolder } from '../journal/folders.ts';
import { freePort } from '../support/free-port.ts';

const PATIENT = { attempts: 1_000, pauseMs: 5, maxPauseMs: 50 };

test('J2: a call that a stopping server cuts off is repeated by its client, and has one result', async () => {
  const [folder, port, stage] = [newFolder(), await freePort(), new Stage()];
  const start = async () => {
    const limits = { drainMs: 0, graceMs: 20, noticeMs: 0 };
    const server = await createServer({ environments: durableEnvironments(), journal: { folder }, limits });
    onTestFinished(() => server.close());
    await server.listen({ port });
    return server;
  };
  const first = await start();
  const client = connect(`http://127.0.0.1:${port}`, { environment: 'replayed', apiKey: '', retry: PATIENT });
  await using session = await client.session({ task: { stage: stage.folder } });
  expect((await session.call('add', { n: 2 })).text).toBe('2');
  const call = session.call('later', { gate: 'a' });
  await stage.reached('later a');
  await first.close();
  stage.open('a');
  await start();
  expect(await call).toMatchObject({ text: 'waited' });
  expect((await session.call('add', { n: 1 })).text).toBe('3');
  expect(stage.count('later a')).toBe(2);
});
