import { fileURLToPath } from 'node:url';
import type { Session } from 'tiltyard/client';
import { describe, expect, test } from 'vitest';
import { eventually, rejection } from '../support/client.ts';
import { client } from '../support/http.ts';
import { endsOf, pidOf, type Served, serve } from './serve.ts';

const MODULE = fileURLToPath(new URL('./durable-module.ts', import.meta.url));

/** Two episodes that share a process, and can be built again. */
async function together(): Promise<{ served: Served; guilty: Session; other: Session }> {
  const served = await serve({ workers: { modules: [MODULE], count: 1 } });
  const [guilty, other] = [await served.session(), await served.session()];
  for (const session of [guilty, other]) expect((await session.call('count')).text).toBe('1');
  expect(await pidOf(guilty)).toBe(await pidOf(other));
  return { served, guilty, other };
}

describe('H4: a tool that blocks its worker beyond its timeout and the grace time', () => {
  test('costs the worker, and the other episodes in it go on where they were', async () => {
    const { served, guilty, other } = await together();
    const stuck = rejection(guilty.call('loop'));
    // It waits in the blocked process, and runs in the next one.
    expect((await other.call('count')).text).toBe('2');
    await stuck;
    expect((await other.call('count')).text).toBe('3');
    // It has blocked the second process as well.
    await eventually(() => expect(endsOf(served.events)).toMatchObject([{ lost: 'killed_twice' }]));
  });
});

describe('H5: only the episode whose call ends its process is charged', () => {
  test('and when it has ended two, it is lost, while others go on', async () => {
    const { served, guilty, other } = await together();
    const lost = await rejection(guilty.call('exit'));
    expect(lost).toMatchObject({ outcome: 'env_error', message: expect.stringContaining('ended two processes') });
    for (const count of ['2', '3']) expect((await other.call('count')).text).toBe(count);
    await eventually(() =>
      expect(endsOf(served.events)).toMatchObject([{ outcome: 'env_error', lost: 'killed_twice' }]),
    );
  });

  test('also if another client has a session of the same id', async () => {
    const { url } = await serve({
      workers: { modules: [MODULE], count: 1 },
      auth: { apiKeys: ['key-of-alice', 'key-of-bob'] },
    });
    const as = (apiKey: string) => client(url, { 'x-api-key': apiKey });
    const [alice, bob] = [as('key-of-alice'), as('key-of-bob')];
    for (const each of [bob, alice]) await each.create({ env_name: 'steady', split: 'train', index: 0 }, 'same');
    expect((await alice.call('same', 'exit', {}, { env: 'steady' })).error).toContain('ended two processes');
    expect((await bob.call('same', 'count', {}, { env: 'steady' })).result).toMatchObject({ ok: true });
  });

  test('also if another one ran in it each time, and nobody can tell which of them did it', async () => {
    const { served, guilty, other } = await together();
    const waiting = other.call('wait');
    const lost = await rejection(guilty.call('abort_later'));
    expect(lost).toMatchObject({ outcome: 'env_error', message: expect.stringContaining('ended two processes') });
    expect((await waiting).text).toBe('waited');
    expect((await other.call('count')).text).toBe('2');
    await served.untilLogged(/worker process has ended/, 2);
    expect(served.lines.filter(({ msg }) => /worker process has ended/.test(String(msg)))).toHaveLength(2);
  });

  test('and once is forgiven: the call runs again, and is answered', async () => {
    const { guilty, other } = await together();
    expect((await guilty.call('exit_once')).text).toBe('alive in attempt 2');
    expect((await guilty.call('count')).text).toBe('2');
    expect((await other.call('count')).text).toBe('2');
  });
});

test('H1: two servers in one process have workers of their own, and one that closes takes none of the other', async () => {
  const [one, two] = [await together(), await together()];
  expect(await pidOf(one.other)).not.toBe(await pidOf(two.other));
  await one.served.server.close();
  expect((await two.other.call('count')).text).toBe('2');
});
