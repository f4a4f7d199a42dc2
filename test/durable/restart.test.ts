import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment } from 'tiltyard';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { keyOf, type SessionEnded } from '../../src/sessions/index.ts';
import { durableEnvironments } from '../hosts/durable-environments.ts';
import { Stage } from '../hosts/stage.ts';
import { newFolder } from '../journal/folders.ts';
import { eventually } from '../support/clock.ts';
import { hear, refOf, SESSION } from '../support/host.ts';
import { jsonOf, type KeepingOptions, keepingHost, toldOf } from './stand.ts';

const [replayed, saved] = durableEnvironments();

const plain = environment({
  name: 'plain',
  splits: { train: [{}] },
  prompt: () => '',
  tools: { now: { run: () => `${process.hrtime.bigint()}` } },
});

/** Servers that come one after the other on the same journal. */
function lives(given: KeepingOptions = {}) {
  const [folder, stage] = [newFolder(), new Stage()];
  const environments = [replayed, saved, plain];
  const start = (more: KeepingOptions = {}) => keepingHost(environments, { folder, ...given, ...more });
  const choice = { task: { stage: stage.folder } };
  return { start, stage, choice, folder };
}

describe.each(['replayed', 'saved'])('after the server has died, an episode of %s', (name) => {
  test('J2: goes on where it was, and the same ids give the same bytes', async () => {
    const { start, choice } = lives();
    const first = await start();
    await first.create({ environment: name, choice });
    const prompt = await first.host.prompt(SESSION);
    const told = [
      await first.call('roll', {}, 'a'),
      await first.call('add', { n: 2 }, 'b'),
      await first.call('report', {}, 'c'),
    ];
    await first.die();
    const second = await start();
    expect(jsonOf(await second.call('roll', {}, 'a'))).toBe(jsonOf(told[0]));
    expect(jsonOf(await second.call('add', { n: 2 }, 'b'))).toBe(jsonOf(told[1]));
    expect(toldOf(await second.call('report', {}, 'c'))).toBe('tool_failed');
    expect(await second.host.prompt(SESSION)).toEqual(prompt);
    expect(toldOf(await second.call('add', { n: 1 }, 'd'))).toBe('4');
    await second.die();
    const third = await start();
    expect(jsonOf(await third.call('roll', {}, 'a'))).toBe(jsonOf(told[0]));
    expect(toldOf(await third.call('add', { n: 1 }))).toBe('5');
    await third.host.end(SESSION);
    expect(third.events.at(-1)).toMatchObject({ type: 'session_ended', reward: 4, calls: 5 });
  });

  test('J3: an external call that may have run is not run again, and its outcome is unknown', async () => {
    const { start, choice, stage } = lives();
    const first = await start();
    await first.create({ environment: name, choice });
    hear(first.host, SESSION, { name: 'mailLater', input: { gate: 'm' }, taskId: 'mine' });
    await stage.reached('mailLater m');
    await first.die();
    stage.open('m');
    for (let life = 0; life < 2; life += 1) {
      const { call, die } = await start();
      expect(toldOf(await call('mailLater', { gate: 'm' }, 'mine'))).toBe('outcome_unknown');
      expect(toldOf(await call('add', { n: 1 }))).toBe(`${life + 1}`);
      await die();
    }
    expect(stage.count('mailLater m')).toBe(1);
  });

  test('an idempotent call that may have run is run again, with the next attempt, before anybody asks', async () => {
    const { start, choice, stage } = lives();
    const first = await start();
    await first.create({ environment: name, choice });
    hear(first.host, SESSION, { name: 'putLater', input: { gate: 'p' }, taskId: 'mine' });
    await stage.reached('putLater mine 1');
    await first.die();
    stage.open('p');
    const { call, host } = await start();
    expect(await host.tools(SESSION)).not.toHaveLength(0);
    await stage.reached('putLater mine 2');
    expect(toldOf(await call('putLater', { gate: 'p' }, 'mine'))).toBe('put');
    expect(stage.count('putLater mine 2')).toBe(1);
  });

  test('a call that changes only its state is run when its client comes back, also under an id of the dead server', async () => {
    const { start, choice, stage } = lives();
    const first = await start();
    await first.create({ environment: name, choice });
    const heard = hear(first.host, SESSION, { name: 'later', input: { gate: 'a' } });
    await stage.reached('later a');
    await first.die();
    stage.open('a');
    const { call } = await start();
    expect(toldOf(await call('later', { gate: 'a' }, heard.id))).toBe('waited');
    expect(jsonOf(await call('later', { gate: 'a' }, heard.id))).toContain('waited');
    expect(stage.count('later a')).toBe(2);
  });

  test('J8: a repeated creation is the same session, as long as nothing was called in it', async () => {
    const { start, choice } = lives();
    const first = await start();
    await first.create({ environment: name, choice });
    await first.create({ environment: name, choice });
    await first.die();
    const second = await start();
    await second.create({ environment: name, choice });
    await expect(second.create({ environment: name, choice: { task: { other: true } } })).rejects.toMatchObject({
      code: 'session_exists',
    });
    await second.call('add');
    await expect(second.create({ environment: name, choice })).rejects.toMatchObject({ code: 'session_exists' });
  });
});

test('J1: no result is told before it is in the journal', async () => {
  const { start, choice } = lives();
  const { create, host, journal } = await start();
  await create({ environment: 'replayed', choice });
  await host.prompt(SESSION);
  const entry = () => [...(journal?.entries() ?? [])][0];
  const heard = hear(host, SESSION, { name: 'add', input: { n: 1 }, taskId: 'mine' });
  expect(heard.events).toEqual([]);
  await eventually(() => expect(heard.ending).toBeDefined());
  expect(entry()?.last).toMatchObject({ type: 'end', call: { id: 'mine' } });
});

test('J11: nobody is told that an episode was lost before that is in the journal', async () => {
  const { start, choice, stage } = lives();
  const { create, host, journal, crash } = await start();
  await create({ environment: 'replayed', choice });
  await host.prompt(SESSION);
  const waiting = hear(host, SESSION, { name: 'later', input: { gate: 'never' }, taskId: 'mine' });
  await eventually(() => expect(stage.trace).toContain('later never'));
  crash(2);
  const isTold = () => 'code' in host.touch(SESSION) || waiting.ending !== undefined;
  while (!isTold()) await new Promise(setImmediate);
  expect([...(journal?.entries() ?? [])][0]?.last).toMatchObject({ type: 'close', end: 'lost' });
  await eventually(() => expect(waiting.ending).toMatchObject({ failure: { code: 'session_lost' } }));
});

test('J7: a client that does not know its id is told before anything runs', async () => {
  const { start, choice, stage } = lives();
  const { create, host } = await start();
  await create({ environment: 'replayed', choice });
  await host.prompt(SESSION);
  const seen: string[] = [];
  await new Promise<void>((resolve) => {
    host.call(SESSION, { name: 'add', input: {} }, (event) => {
      seen.push(`${event.kind} after ${stage.trace.filter((each) => each.startsWith('add')).length}`);
      if (event.kind === 'settled') resolve();
    });
  });
  expect(seen).toEqual(['accepted after 0', 'settled after 1']);
  // One that knows it hears nothing but its result.
  const heard = hear(host, SESSION, { name: 'add', input: {}, taskId: 'mine' });
  await eventually(() => expect(heard.events.map(({ kind }) => kind)).toEqual(['settled']));
});

test('J7: nothing is written of a call before its client knows the id: it would be run again, and so would what the client repeats', async () => {
  const { start, choice } = lives();
  const { create, host, journal } = await start();
  await create({ environment: 'saved', choice });
  await host.prompt(SESSION);
  const types = () => journal?.read('s').map(({ type }) => type);
  const before = await new Promise((resolve) => {
    host.call(SESSION, { name: 'put', input: {} }, ({ kind }) => void (kind === 'accepted' && resolve(types())));
  });
  expect(before).toEqual(['create', 'setup', 'prompt']);
  await eventually(() => expect(types()).toEqual(['create', 'setup', 'prompt', 'begin', 'end']));
});

test('J11: an episode that keeps nothing is lost with its server, and what was told can still be read', async () => {
  const { start, choice } = lives();
  const first = await start();
  await first.create({ environment: 'plain', choice });
  const told = await first.call('now', {}, 'mine');
  await first.die();
  for (let life = 0; life < 2; life += 1) {
    const { call, host, events, die } = await start();
    expect(jsonOf(await call('now', {}, 'mine'))).toBe(jsonOf(told));
    expect(toldOf(await call('now', {}, 'other'))).toBe('session_lost');
    expect(host.touch(SESSION)).toMatchObject({ code: 'session_lost', message: expect.stringContaining('plain') });
    const lost = () => events.filter(({ type }) => type === 'session_not_recovered');
    const expected = life === 0 ? [{ sid: 's', environment: 'plain', lost: 'server_lost' }] : [];
    await eventually(() => expect(lost()).toMatchObject(expected));
    await die();
  }
});

describe('J6: what comes with secrets', () => {
  const SECRET = 'hunter2-hunter2-hunter2';
  const found = (folder: string) =>
    readdirSync(folder).some((file) => readFileSync(join(folder, file)).includes(SECRET));

  test('is not written without a key: it survives its worker, and is lost with the server', async () => {
    const { start, folder } = lives();
    const first = await start();
    await first.create({ environment: 'saved', choice: { task: { note: SECRET } }, secrets: { KEY: SECRET } });
    await first.call('add', { n: 1 }, SECRET);
    first.crash();
    expect(toldOf(await first.call('add', { n: 1 }))).toBe('2');
    await first.die();
    expect(found(folder)).toBe(false);
    const second = await start();
    expect(second.host.touch(SESSION)).toMatchObject({
      code: 'session_lost',
      message: expect.stringContaining('TILTYARD_JOURNAL_KEY'),
    });
    const lost = [{ type: 'session_not_recovered', lost: 'secrets_not_kept' }];
    await eventually(() => expect(second.events).toMatchObject(lost));
  });

  test('is sealed with a key, and goes on', async () => {
    const { start, folder } = lives({ keys: [Buffer.alloc(32, 7)] });
    const first = await start();
    await first.create({ environment: 'saved', choice: { task: { note: SECRET } }, secrets: { KEY: SECRET } });
    await first.call('add', { n: 1 }, SECRET);
    await first.die();
    expect(found(folder)).toBe(false);
    const second = await start();
    expect(toldOf(await second.call('add', { n: 1 }))).toBe('2');
  });
});

describe('J12: clocks and limits', () => {
  test('a session that was deleted stays so, and one that expired too', async () => {
    const { start, choice } = lives();
    const first = await start();
    await first.create({ environment: 'replayed', choice });
    await first.host.end(SESSION);
    await first.die();
    const second = await start();
    expect(second.host.touch(SESSION)).toMatchObject({ code: 'session_gone' });
    // The id is free again.
    await second.create({ environment: 'replayed', choice });
    expect(toldOf(await second.call('add'))).toBe('1');
    await second.die();
    const third = await start();
    expect(toldOf(await third.call('add'))).toBe('2');
  });

  test('an end is remembered for as long as a server runs: while none does, nobody can ask', async () => {
    const { start, choice } = lives();
    const first = await start();
    await first.create({ environment: 'replayed', choice });
    await first.host.end(SESSION);
    await first.die();
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 3_600_000 });
    const second = await start();
    expect(second.host.touch(SESSION)).toMatchObject({ code: 'session_gone' });
  });

  test('J9: nothing is left of a session whose end nobody remembers any more', async () => {
    const { start, choice } = lives();
    const first = await start();
    await first.create({ environment: 'replayed', choice });
    await first.call('add');
    await first.host.end(SESSION);
    const of = { environment: 'replayed', durability: 'replay', since: expect.any(Number) };
    expect(first.journal?.read('s')).toMatchObject([{ type: 'close', end: 'deleted', ...of }]);
    await first.die();
    const second = await start({ options: { tombstoneMs: 1 } });
    await eventually(() => expect(second.journal?.size).toBe(0));
  });

  test('a session that nobody uses expires, also if nobody has asked for it since the server started', async () => {
    const { start, choice } = lives();
    const first = await start();
    await first.create({ environment: 'replayed', choice });
    await first.die();
    const second = await start({ options: { idleMs: 40 } });
    // Without asking for it, which would count as use.
    const of = { environment: 'replayed', durability: 'replay', since: expect.any(Number) };
    await eventually(() => expect(second.journal?.read('s')).toMatchObject([{ type: 'close', end: 'expired', ...of }]));
    expect(second.host.touch(SESSION)).toMatchObject({ code: 'session_expired' });
  });

  test('time in which no server ran does not count, however often one was started', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { start, choice } = lives({ options: { idleMs: 900_000, tombstoneMs: 900_000 } });
    const first = await start();
    await first.create({ environment: 'replayed', choice });
    await first.create({ environment: 'replayed', choice }, refOf('deleted'));
    await first.host.end(refOf('deleted'));
    await first.die();
    for (let life = 0; life < 3; life += 1) {
      vi.setSystemTime(Date.now() + 800_000);
      const { die, host } = await start();
      await vi.advanceTimersByTimeAsync(60_000);
      // Their ends are told from what was never there.
      expect(host.touch(refOf('deleted'))).toMatchObject({ code: 'session_gone' });
      await die();
      await host.drain();
    }
    const last = await start();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(toldOf(await last.call('add'))).toBe('1');
  });

  test('sessions of an earlier server count', async () => {
    const { start, choice } = lives();
    const first = await start();
    await first.create({ environment: 'replayed', choice });
    await first.die();
    const second = await start({ options: { maxSessions: 1 } });
    await expect(second.create({ environment: 'replayed', choice }, refOf('other'))).rejects.toMatchObject({
      code: 'too_many_sessions',
    });
  });
});

test('a server that stops puts its episodes aside: they are torn down, have no outcome, and go on later', async () => {
  const { start, choice, stage } = lives();
  const first = await start();
  await first.create({ environment: 'replayed', choice });
  await first.call('add');
  await first.host.drain();
  await first.die();
  expect(first.events.map(({ type }) => type)).toContain('session_suspended');
  expect(first.events.map(({ type }) => type)).not.toContain('session_ended');
  expect(stage.count('teardown')).toBe(1);
  const second = await start();
  expect(toldOf(await second.call('add'))).toBe('2');
});

test('a server that stops ends an episode that keeps nothing: the next one does not call it lost, and what was told can still be read', async () => {
  const { start, choice } = lives();
  const first = await start();
  await first.create({ environment: 'plain', choice });
  const told = await first.call('now', {}, 'mine');
  await first.host.drain();
  await first.die();
  expect(first.events.at(-1)).toMatchObject({ type: 'session_ended', reason: 'stopped', outcome: 'cancelled' });
  for (let life = 0; life < 2; life += 1) {
    const { call, host, events, die } = await start();
    expect(host.touch(SESSION)).toMatchObject({ code: 'session_gone', message: expect.stringContaining('stopping') });
    expect(jsonOf(await call('now', {}, 'mine'))).toBe(jsonOf(told));
    expect(toldOf(await call('now', {}, 'other'))).toBe('session_gone');
    await host.drain();
    expect(events).toEqual([]);
    await die();
  }
});

test('J2: who deletes an episode that a server has put aside is told to come again, since it goes on later', async () => {
  const { start, choice } = lives();
  const first = await start();
  await first.create({ environment: 'replayed', choice });
  await first.host.drain();
  await expect(first.host.end(SESSION)).rejects.toMatchObject({ code: 'shutting_down' });
  await first.die();
  const second = await start();
  await second.host.end(SESSION);
  expect(second.host.touch(SESSION)).toMatchObject({ code: 'session_gone' });
});

test('a session that ends before anybody has asked for it since the restart is told of as any other', async () => {
  const { start, choice } = lives();
  const first = await start();
  await first.create({ environment: 'replayed', choice });
  await first.call('add', { n: 2 });
  await first.call('add', { n: 3, finished: true });
  await first.die();
  const { host, events } = await start();
  await host.end(SESSION);
  expect(events).toMatchObject([
    { type: 'session_started', session: { sid: 's', environment: 'replayed' } },
    { type: 'session_ended', session: { sid: 's' }, outcome: 'finished', reason: 'deleted', calls: 2, reward: 5 },
  ]);
});

test('an episode that goes on after a restart has lasted since it was created, not since the restart', async () => {
  const { start, choice } = lives();
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 100_000 });
  const first = await start();
  await first.create({ environment: 'replayed', choice });
  await first.die();
  vi.useRealTimers();
  const { call, host, events } = await start();
  await call('add');
  await host.end(SESSION);
  const ended = events.find(({ type }) => type === 'session_ended') as SessionEnded;
  expect(ended.durationMs).toBeGreaterThanOrEqual(99_900);
  expect(ended.durationMs).toBeLessThan(200_000);
});

test('a server that stops does not tell that a session is over which goes on later', async () => {
  const { start, choice, stage } = lives();
  const { create, call, host } = await start();
  await create({ environment: 'replayed', choice });
  await call('add');
  const running = hear(host, SESSION, { name: 'later', input: { gate: 'a' }, taskId: 'mine' });
  await stage.reached('later a');
  await host.drain();
  expect(running.ending).toMatchObject({ kind: 'refused', failure: { code: 'shutting_down' } });
  expect(host.touch(SESSION)).toMatchObject({ code: 'shutting_down', message: expect.stringContaining('goes on') });
  expect(toldOf(await call('add'))).toBe('shutting_down');
  await expect(host.prompt(SESSION)).rejects.toMatchObject({ code: 'shutting_down' });
});

test('an episode whose task has changed meanwhile is lost', async () => {
  const { start } = lives();
  const first = await start();
  await first.create({ environment: 'replayed', choice: { split: 'moving', index: 0 } });
  await first.call('add');
  await first.die();
  const { call, events } = await start();
  expect(toldOf(await call('add'))).toBe('session_lost');
  await eventually(() => expect(events.at(-1)).toMatchObject({ type: 'session_ended', lost: 'task_changed' }));
});

test('an episode of an environment that is kept in another way now is lost', async () => {
  const { start, choice, folder } = lives();
  const first = await start();
  await first.create({ environment: 'replayed', choice });
  await first.die();
  const { host, events } = await keepingHost([saved], { folder });
  expect(host.touch(SESSION)).toMatchObject({ code: 'session_lost' });
  await eventually(() => expect(events).toMatchObject([{ lost: 'environment_changed' }]));
});

// Journals of earlier servers have nothing else.
test('an episode that cannot be built again is lost, for the reason that the journal has as a text', async () => {
  const { start, stage, choice } = lives();
  const first = await start();
  await first.create({ environment: 'saved', choice });
  await first.call('ignores');
  const why = "tool 'ignores' took longer than 20 ms, and may still change the state";
  expect(first.journal?.read(keyOf(SESSION)).at(-1)).toMatchObject({ type: 'end', tainted: why });
  await first.die();
  stage.open('ignores');
  const { call, host, events } = await start();
  expect(toldOf(await call('add'))).toBe('session_lost');
  await eventually(() => expect(events.at(-1)).toMatchObject({ type: 'session_ended', lost: 'tainted' }));
  expect(host.touch(SESSION)).toMatchObject({ message: expect.stringContaining(`cannot be built again since ${why}`) });
});
