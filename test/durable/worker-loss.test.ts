import { environment } from 'tiltyard';
import { describe, expect, test } from 'vitest';
import type { Environment } from '../../src/core/index.ts';
import { durableEnvironments } from '../hosts/durable-environments.ts';
import { Stage } from '../hosts/stage.ts';
import { eventually } from '../support/clock.ts';
import { hear, refOf, SESSION } from '../support/host.ts';
import { jsonOf, keepingHost, toldOf } from './stand.ts';

const [replayed, saved] = durableEnvironments();

async function begun(each: Environment, task: object = {}) {
  const stage = new Stage();
  const made = await keepingHost([each]);
  await made.create({ choice: { task: { stage: stage.folder, ...task } } });
  const lost = () => made.events.flatMap((event) => (event.type === 'session_ended' ? [event.lost] : []));
  return { ...made, stage, lost };
}

describe.each([replayed, saved])('an episode of $name whose process ends', (each) => {
  test('goes on where it was', async () => {
    const { call, crash, host, events } = await begun(each);
    const prompt = await host.prompt(SESSION);
    const rolled = toldOf(await call('roll'));
    expect(toldOf(await call('add', { n: 2 }))).toBe('2');
    crash();
    expect(toldOf(await call('add', { n: 3 }))).toBe('5');
    crash();
    expect(await host.prompt(SESSION)).toEqual(prompt);
    expect(await host.tools(SESSION)).not.toHaveLength(0);
    expect(toldOf(await call('add', { n: 1 }, 'mine'))).toBe('6');
    expect(toldOf(await call('roll'))).not.toBe(rolled);
    expect(events.filter(({ type }) => type === 'session_rebuilt')).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'session_ended')).toHaveLength(0);
  });

  test('runs a call again that was running, under its id, and tells one result', async () => {
    const { crash, host, stage, call } = await begun(each);
    await call('add', { n: 1 });
    const heard = hear(host, SESSION, { name: 'later', input: { gate: 'a' }, taskId: 'mine' });
    await stage.reached('later a');
    crash();
    await eventually(() => expect(stage.count('later a')).toBe(2));
    stage.open('a');
    await eventually(() => expect(heard.ending).toMatchObject({ kind: 'returned' }));
    expect(heard.events.filter(({ kind }) => kind === 'settled')).toHaveLength(1);
    expect(jsonOf(await call('later', { gate: 'a' }, 'mine'))).toBe(jsonOf(heard.ending));
    expect(toldOf(await call('add', { n: 1 }))).toBe('2');
  });

  test('tells those who wait for their turn what came of it', async () => {
    const { crash, stage, call, host } = await begun(each);
    const running = hear(host, SESSION, { name: 'later', input: { gate: 'a' } });
    await stage.reached('later a');
    const waiting = [call('add', { n: 1 }), call('add', { n: 1 })];
    crash();
    const arriving = call('add', { n: 1 });
    stage.open('a');
    expect((await Promise.all([...waiting, arriving])).map(toldOf)).toEqual(['1', '2', '3']);
    await eventually(() => expect(running.ending).toMatchObject({ kind: 'returned' }));
  });

  test('J3: never runs an external tool again, and says that nobody knows what it did', async () => {
    const { crash, call, stage, host } = await begun(each);
    expect(toldOf(await call('mail', {}, 'first'))).toBe('sent');
    const heard = hear(host, SESSION, { name: 'mailLater', input: { gate: 'm' }, taskId: 'second' });
    await stage.reached('mailLater m');
    crash();
    await eventually(() => expect(heard.ending).toMatchObject({ failure: { code: 'outcome_unknown' } }));
    expect(await call('mailLater', { gate: 'm' }, 'second')).toEqual(heard.ending);
    expect(toldOf(await call('add', { n: 1 }))).toBe('1');
    expect([stage.count('mail first'), stage.count('mailLater m')]).toEqual([1, 1]);
  });

  test('H5: is lost when it has ended two processes, and only then', async () => {
    const { crash, call, lost, events } = await begun(each);
    // A share of an end is forgotten when a call has run to its end since.
    for (const charge of [0, 1, 0, 0.5, 0.5, 0.5]) {
      await call('add');
      crash(charge);
    }
    expect(toldOf(await call('add'))).toBe('7');
    crash(1);
    expect(toldOf(await call('add'))).toBe('session_lost');
    await eventually(() => expect(lost()).toEqual(['killed_twice']));
    expect(events.at(-1)).toMatchObject({ type: 'session_ended', outcome: 'env_error', reason: 'lost' });
  });

  test('H5: is not built again beside another one that may have ended it, until that has done what it did then', async () => {
    const { crash, create, call, host, stage, lost } = await begun(each);
    const refs = [SESSION, refOf('other')] as const;
    await create({ choice: { task: { stage: stage.folder } } }, refs[1]);
    const calls = refs.map((ref, index) => hear(host, ref, { name: 'later', input: { gate: `g${index}` } }));
    const countsOf = () => [stage.count('later g0'), stage.count('later g1')];
    await eventually(() => expect(countsOf()).toEqual([1, 1]));
    crash(0.5);
    await eventually(() => expect(countsOf()).toEqual([2, 1]));
    // Now nobody else can have done it.
    crash(1);
    await eventually(() => expect(lost()).toEqual(['killed_twice']));
    await eventually(() => expect(countsOf()).toEqual([2, 2]));
    stage.open('g1');
    await eventually(() => expect(calls[1]?.ending).toMatchObject({ kind: 'returned' }));
    // It is cleared: this is the first end that it is charged with.
    crash(1);
    expect(toldOf(await call('add', { n: 1 }, undefined, refs[1]))).toBe('1');
  });

  test('is set up again if it was being set up', async () => {
    const { crash, call } = await begun(each, { slow: true });
    const first = call('add');
    crash();
    expect(toldOf(await first)).toBe('1');
  });

  test('is lost if a tool that took too long may have left its state in between', async () => {
    const { crash, call, lost, stage } = await begun(each);
    await call('ignores');
    crash();
    expect(toldOf(await call('add'))).toBe('session_lost');
    await eventually(() => expect(lost()).toEqual(['tainted']));
    stage.open('ignores');
  });
});

test('J4: an episode that does not give the same results again is lost, and the call is named', async () => {
  const { crash, call, host, lost } = await begun(replayed);
  await call('drift', {}, 'the-drifting-one');
  crash();
  expect(toldOf(await call('add'))).toBe('session_lost');
  await eventually(() => expect(lost()).toEqual(['diverged']));
  expect(host.touch(SESSION)).toMatchObject({
    code: 'session_lost',
    message: expect.stringContaining("call 'the-drifting-one' of tool 'drift'"),
  });
});

test('an episode that cannot be restored is lost, with the reason', async () => {
  const { crash, call, lost } = await begun(saved, { breaks: 'restore' });
  await call('add');
  crash();
  expect(toldOf(await call('add'))).toBe('session_lost');
  await eventually(() => expect(lost()).toEqual(['restore_failed']));
});

test('J11: an episode that keeps nothing is lost with its process; what was told of it can still be read', async () => {
  const plain = environment({
    name: 'plain',
    splits: { train: [{}] },
    prompt: () => '',
    tools: { count: { run: () => `${process.hrtime.bigint()}` } },
  });
  const { crash, call, lost, host } = await begun(plain);
  const told = await call('count', {}, 'mine');
  crash();
  await eventually(() => expect(lost()).toEqual(['worker_lost']));
  expect(jsonOf(await call('count', {}, 'mine'))).toBe(jsonOf(told));
  expect(toldOf(await call('count', {}, 'another'))).toBe('session_lost');
  expect(host.touch(SESSION)).toMatchObject({ code: 'session_lost', message: expect.stringContaining('SIGKILL') });
});
