import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from 'tiltyard/client';
import { createServer } from 'tiltyard/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually, rejection } from '../support/client.ts';
import { temporaryFolder } from '../support/folder.ts';
import { endsOf, isAlive, MODULE, pidOf, type Served, serve, sessionsApart } from './serve.ts';

/** Asks for `/health` and calls a tool of another session, again and again, while something else happens. */
async function expectAnswers({ server }: Served, other: Session): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) {
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect((await other.call('count')).reward).toBe(1);
  }
}

/** Gives the workers of this test so little memory that it is soon used up. */
function limitHeap(): void {
  const before = process.env.NODE_OPTIONS;
  process.env.NODE_OPTIONS = `${before ?? ''} --max-old-space-size=128`;
  onTestFinished(() => {
    process.env.NODE_OPTIONS = before ?? '';
  });
}

/** Waits until the worker that has ended is replaced: a new session begins in the new one, which has the fewest. */
async function expectReplaced(served: Served, dead: number, other: Session): Promise<void> {
  await served.untilLogged(REPLACED);
  const pid = await pidOf(await served.session());
  expect([dead, await pidOf(other)]).not.toContain(pid);
}

const REPLACED = /has taken the place/;

/** The event that a call of a tool has come. */
function startOf(tool: string): object {
  return expect.objectContaining({ type: 'call_started', call: expect.objectContaining({ tool }) });
}

describe('H1: with workers', () => {
  test('a path that nothing has is answered as without workers', async () => {
    const { server } = await serve({ count: 1 });
    const answer = await fetch(`${server.url}/nothing/here`);
    expect([answer.status, await answer.json()]).toEqual([404, { detail: expect.stringContaining('not found') }]);
  });

  test('authors’ code runs in other processes, each with as many episodes as the others', async () => {
    const served = await serve();
    const pids = await Promise.all((await sessionsApart(served, 6)).map(pidOf));
    const counts = [...new Set(pids)].map((pid) => pids.filter((each) => each === pid).length);
    expect(counts).toEqual([3, 3]);
    expect(pids).not.toContain(process.pid);
  });

  test('a whole episode is as it is without them', async () => {
    const folder = temporaryFolder('tiltyard-workers-');
    const { session, events, client } = await serve();
    expect(await client.environments()).toEqual(['rough']);
    const trace = join(folder, 'trace');
    const episode = await session({ trace });
    expect(await episode.prompt()).toMatchObject([{ text: 'Begin.' }]);
    for (const steps of ['1', '2']) expect((await episode.call('count')).text).toBe(steps);
    await episode.close();
    expect(readFileSync(trace, 'utf8')).toBe('teardown\n');
    expect(endsOf(events)).toMatchObject([{ outcome: 'cancelled', reason: 'deleted', reward: 2 }]);
  });

  test('tasks that only JSON can carry are read as without them', async () => {
    const { client } = await serve({ count: 1 });
    const { task } = await client
      .environment('rough')
      .task('odd', 0)
      .then((task) => ({ task }));
    expect(task).toEqual({ id: 1, when: 'now' });
  });

  test('mistakes in modules and options are told when the server is made, and no process is left', async () => {
    const make = (workers: object) => createServer({ workers: workers as never, logger: false });
    await expect(make({ modules: [] })).rejects.toThrow('workers.modules must be an array with at least one file');
    await expect(make({ modules: [MODULE], count: 0 })).rejects.toThrow('from 1');
    await expect(make({ modules: [MODULE.replace('module.ts', 'serve.ts')], count: 2 })).rejects.toThrow(
      'does not export an environment or a toolkit',
    );
    await expect(make({ modules: ['/nowhere/at-all.ts'], count: 1 })).rejects.toThrow('at-all.ts');
  });

  test('a server that closes leaves no process, also if code in it loops for ever', async () => {
    const served = await serve({ limits: { graceMs: 200, drainMs: 0, teardownMs: 500 } });
    const sessions = await sessionsApart(served);
    const pids = await Promise.all(sessions.map(pidOf));
    const looping = sessions[0]?.call('loop').catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 100));
    await served.server.close();
    expect(pids.map(isAlive)).toEqual([false, false]);
    await looping;
  });
});

describe('H2: while a tool loops for ever', () => {
  test.each(['loop', 'loop_later'])('(%s) health and other workers’ episodes answer', async (tool) => {
    const served = await serve();
    const [stuck, other] = (await sessionsApart(served)) as [Session, Session];
    let hasEnded = false;
    const call = stuck
      .call(tool)
      .catch(() => {})
      .finally(() => {
        hasEnded = true;
      });
    await expectAnswers(served, other);
    expect(hasEnded).toBe(false);
    await served.server.close();
    await call;
  });

  test('new sessions begin elsewhere, also one that was sent there first', async () => {
    const served = await serve();
    const [stuck, other] = (await sessionsApart(served)) as [Session, Session];
    const pid = await pidOf(other);
    const call = stuck.call('loop').catch(() => {});
    // One that begins there before it loops stays there, and waits.
    await eventually(() => expect(served.events).toContainEqual(startOf('loop')));
    const created = await Promise.all(Array.from({ length: 6 }, () => served.session()));
    expect(new Set(await Promise.all(created.map(pidOf)))).toEqual(new Set([pid]));
    await served.server.close();
    await call;
  });
});

describe('H3: a worker that dies', () => {
  test.each([
    ['exit', 'it exited with code 3'],
    ['abort', 'SIGABRT'],
    ['exhaust', 'SIGABRT'],
  ])('by its own code (%s) ends its episodes alone, and is replaced', async (tool, why) => {
    limitHeap();
    const served = await serve();
    const [broken, other] = (await sessionsApart(served)) as [Session, Session];
    const pid = await pidOf(broken);
    await broken.call('count');
    const failed = await rejection(broken.call(tool));
    expect(failed).toMatchObject({ outcome: 'env_error', message: expect.stringContaining(why) });
    expect(await rejection(broken.call('count'))).toMatchObject({ code: 'session_lost', outcome: 'env_error' });
    expect((await other.call('count')).text).toBe('1');
    await eventually(() =>
      expect(endsOf(served.events)).toMatchObject([{ outcome: 'env_error', reason: 'lost', reward: 1, calls: 3 }]),
    );
    await expectReplaced(served, pid, other);
    expect((await other.call('count')).text).toBe('2');
    expect(served.lines).toContainEqual(expect.objectContaining({ level: 50, worker: pid }));
  });

  test('by SIGKILL between calls is heard of by the next one, and by a prompt that waits', async () => {
    const served = await serve();
    const [broken, other] = (await sessionsApart(served)) as [Session, Session];
    const pid = await pidOf(broken);
    const waiting = rejection(broken.call('wait'));
    process.kill(pid, 'SIGKILL');
    expect(await waiting).toMatchObject({ outcome: 'env_error', message: expect.stringContaining('SIGKILL') });
    await expect(broken.prompt()).rejects.toMatchObject({ status: 410 });
    await expectReplaced(served, pid, other);
  });

  test('because it says what makes no sense ends its episodes alone; what is not for the server is not heard', async () => {
    const served = await serve();
    const [broken, other] = (await sessionsApart(served)) as [Session, Session];
    expect((await broken.call('babble')).text).toBe('said');
    expect((await broken.call('count')).text).toBe('1');
    const pid = await pidOf(broken);
    const failed = await rejection(broken.call('lie'));
    expect(failed).toMatchObject({ outcome: 'env_error', message: expect.stringContaining('makes no sense') });
    expect((await other.call('count')).text).toBe('1');
    await expectReplaced(served, pid, other);
  });

  test('in setup fails its session, and the next one is served', async () => {
    const served = await serve();
    const broken = await served.session({ setup: 'exits' });
    expect(await rejection(broken.call('count'))).toMatchObject({ outcome: 'env_error' });
    expect((await (await served.session()).call('count')).text).toBe('1');
  });

  test('again and again is replaced each time, while others go on', async () => {
    const served = await serve();
    const [other] = (await sessionsApart(served)) as [Session];
    const home = await pidOf(other);
    for (let round = 1; round <= 3; round += 1) {
      const pid = await pidOf(await served.session());
      expect(pid).not.toBe(home);
      process.kill(pid, 'SIGKILL');
      await served.untilLogged(REPLACED, round);
    }
    // A worker that has only just started may not answer yet when others are busy.
    await eventually(async () => expect(await pidOf(await served.session())).not.toBe(home));
    expect((await other.call('count')).text).toBe('1');
  });
});

describe('H4: a tool that blocks its worker beyond its timeout and the grace time', () => {
  test.each(['limited', 'later'])('(%s) costs the worker', async (tool) => {
    const served = await serve();
    const [stuck, other] = (await sessionsApart(served)) as [Session, Session];
    const pid = await pidOf(stuck);
    const failed = await rejection(stuck.call(tool));
    expect(failed).toMatchObject({ outcome: 'env_error', message: expect.stringContaining(`tool '${tool}' blocked`) });
    expect(isAlive(pid)).toBe(false);
    expect((await other.call('count')).text).toBe('1');
    await expectReplaced(served, pid, other);
  });

  test('one that is within its time costs nothing', async () => {
    const served = await serve({ limits: { graceMs: 50 } });
    const [busy] = (await sessionsApart(served)) as [Session];
    expect((await busy.call('busy', { ms: 1_500 })).text).toBe('done');
    expect((await busy.call('count')).text).toBe('1');
  });

  test('one that ignores its signal, but lets others run, costs nothing', async () => {
    const served = await serve({ count: 1 });
    const [deaf, other] = (await sessionsApart(served)) as [Session, Session];
    expect(await rejection(deaf.call('ignore'))).toMatchObject({ outcome: 'timeout' });
    await eventually(() =>
      expect(served.lines.map(({ msg }) => msg)).toContainEqual(expect.stringContaining('ignores its signal')),
    );
    expect((await other.call('count')).text).toBe('1');
  });

  test('a setup that blocks beyond its limit costs the worker', async () => {
    const served = await serve({ limits: { setupMs: 300 } });
    const stuck = await served.session({ setup: 'loops' });
    expect(await rejection(stuck.call('count'))).toMatchObject({ outcome: 'env_error' });
    expect((await (await served.session()).call('count')).text).toBe('1');
  });

  test('a session that is deleted while its tool blocks costs the worker', async () => {
    const served = await serve();
    const [stuck] = (await sessionsApart(served)) as [Session];
    const pid = await pidOf(stuck);
    const call = stuck.call('loop').catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 100));
    await stuck.close();
    await call;
    await eventually(() => expect(isAlive(pid)).toBe(false));
  });
});

describe('H6: across processes', () => {
  test('logs come through, with the session they belong to, and stray errors too', async () => {
    const served = await serve();
    const session = await served.session();
    await session.call('say');
    await eventually(() => {
      const line = { msg: 'said', where: 'worker', sid: session.sid, environment: 'rough', level: 40 };
      expect(served.lines).toContainEqual(expect.objectContaining(line));
      const stray = { origin: 'uncaughtException', error: expect.objectContaining({ message: 'nobody catches this' }) };
      expect(served.lines).toContainEqual(expect.objectContaining(stray));
    });
    expect((await session.call('count')).text).toBe('1');
  });

  test('metrics count calls and lost sessions', async () => {
    const served = await serve();
    const session = await served.session();
    await session.call('count');
    await session.call('exit').catch(() => {});
    await served.untilLogged(REPLACED);
    await eventually(async () => {
      const text = await (await fetch(`${served.server.url}/metrics`)).text();
      expect(text).toMatch(/tiltyard_calls_total\{.*tool="count".*outcome="returned".*\} 1/);
      expect(text).toMatch(/outcome="env_error".*\} 1/);
      expect(text).toMatch(/tiltyard_workers 2/);
      expect(text).toMatch(/tiltyard_worker_deaths_total\{reason="exited"\} 1/);
    });
  });
});

test('H8: a worker that takes more memory than it may is ended, and the log says so', async () => {
  const served = await serve({ limits: { maxWorkerMemoryBytes: 400 * 1024 * 1024 } });
  const [greedy, other] = (await sessionsApart(served)) as [Session, Session];
  const failed = await rejection(greedy.call('fill'));
  expect(failed).toMatchObject({
    outcome: 'env_error',
    message: expect.stringMatching(/MB of memory, and may take 400/),
  });
  expect((await other.call('count')).text).toBe('1');
});

describe('H10: tools of toolkits', () => {
  test('run in workers, and cost no more than theirs', async () => {
    const served = await serve();
    const other = await served.session();
    const failed = await rejection(served.oxp.call('Rough.Exit', {}));
    expect(failed).toMatchObject({ outcome: 'env_error' });
    const { value } = await served.oxp.call('Rough.Pid', {});
    expect(value).not.toBe(process.pid);
    await other.close();
  });

  test('without a limit that block when the server stops do not hold it up', async () => {
    const served = await serve({ count: 1 });
    const stuck = served.oxp.call('Rough.Endless', {}).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 100));
    await served.server.close();
    await stuck;
  });

  test('that block beyond their time cost the worker, and others are called meanwhile', async () => {
    const served = await serve();
    const stuck = rejection(served.oxp.call('Rough.Loop', {}));
    for (let round = 0; round < 5; round += 1) await served.oxp.call('Rough.Pid', {});
    expect(await stuck).toMatchObject({ outcome: 'env_error' });
  });
});
