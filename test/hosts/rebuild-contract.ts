import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type EpisodeRuntime,
  type EpisodeStart,
  type OpenEpisode,
  type Past,
  type PastStep,
  type RunEnding,
  toldDigest,
} from '../../src/sessions/index.ts';
import { turns } from './harness.ts';
import type { MakeRuntime } from './runtime-contract.ts';
import { Stage } from './stage.ts';

/** States how every runtime builds episodes again. */
export function describeRebuilding(makeRuntime: MakeRuntime): void {
  async function start(environment: string, task: object = {}): Promise<Played> {
    const [runtime, stage] = [await makeRuntime({ graceMs: 50 }), new Stage()];
    const begun: EpisodeStart = {
      ...{ session: 1, sid: 's', secrets: {}, seed: 12_345, environment },
      choice: { task: { stage: stage.folder, ...task } },
    };
    return { runtime, stage, start: begun, episode: await open(runtime, begun) };
  }

  describe('an episode that is built again', () => {
    test('replay: goes on as if nothing had happened, with the same chance, ids and attempts', async () => {
      const first = await start('replayed');
      expect(await ready(first.episode)).toEqual([undefined, undefined]);
      const steps = [
        await promptStep(first.episode),
        await step(first.episode, 'a', 'add', { n: 2 }),
        await step(first.episode, 'b', 'roll'),
        await step(first.episode, 'c', 'report'),
        await step(first.episode, 'd', 'add', {}, 2),
      ];
      const next = await endingOf(first.episode, 'e', 'roll');
      const again = await rebuild(first, { steps });
      expect(again.ready).toEqual([undefined, undefined]);
      expect(await endingOf(again.episode, 'e', 'roll')).toEqual(next);
      expect(toldDigest(await again.episode.prompt())).toBe(steps[0]?.told);
      const once = ['setup', 'prompt', 'add a 1', 'add d 2'];
      expect(first.stage.trace).toEqual([...once, ...once]);
    });

    test('replay: the past can be used more than once, since nobody writes into it', async () => {
      const first = await start('replayed');
      await ready(first.episode);
      const steps = [await step(first.episode, 'a', 'add')];
      const before = structuredClone(steps);
      await rebuild(first, { steps });
      expect(steps).toEqual(before);
      expect((await rebuild(first, { steps })).ready[0]).toBeUndefined();
    });

    test('J3: replay: never runs an external tool again, and runs an idempotent one', async () => {
      const first = await start('replayed');
      await ready(first.episode);
      const steps = [await step(first.episode, 'm', 'mail'), await step(first.episode, 'p', 'put')];
      expect((await rebuild(first, { steps })).ready[0]).toBeUndefined();
      expect([first.stage.count('mail m'), first.stage.count('put p')]).toEqual([1, 2]);
    });

    test('J4: replay: a call that gives another result is named, and so is a prompt', async () => {
      const first = await start('replayed');
      await ready(first.episode);
      const steps = [await step(first.episode, 'a', 'add'), await step(first.episode, 'tick-7', 'drift')];
      expect((await rebuild(first, { steps })).ready[0]).toMatchObject({
        code: 'diverged',
        message: expect.stringContaining("call 'tick-7' of tool 'drift'"),
      });
      const other: PastStep = { kind: 'prompt', told: 'another' };
      expect((await rebuild(first, { steps: [other] })).ready[0]).toMatchObject({
        code: 'diverged',
        message: expect.stringContaining('the prompt'),
      });
      const gone: PastStep = { kind: 'call', id: 'x', attempt: 1, name: 'removed', input: {}, told: 'anything' };
      expect((await rebuild(first, { steps: [gone] })).ready[0]).toMatchObject({ code: 'diverged' });
    });

    test.each(['replayed', 'saved'])('%s: one that has finished is still finished', async (environment) => {
      const first = await start(environment);
      const [, saved] = await ready(first.episode);
      const told = await step(first.episode, 'a', 'add', { finished: true });
      const again = await rebuild(first, { steps: [told], saved, finished: true });
      expect(await endingOf(again.episode, 'b', 'add')).toMatchObject({ failure: { code: 'episode_finished' } });
    });

    test('replay: a tool that took too long taints it, and nothing else does', async () => {
      const { episode } = await start('replayed');
      await ready(episode);
      for (const name of ['add', 'report', 'nonsense'])
        expect(await endingOf(episode, name, name)).not.toHaveProperty('tainted');
      const tainted = { reason: 'timeout', words: "tool 'listens' took longer than 20 ms" };
      expect(await endingOf(episode, 'h', 'listens')).toMatchObject({ outcome: 'timeout', tainted });
    });

    test.each(['replayed', 'saved'])('%s: calls of all tools run one after the other', async (environment) => {
      const { episode, stage } = await start(environment);
      await ready(episode);
      const first = endingOf(episode, 'a', 'later', { gate: 'g' });
      const second = endingOf(episode, 'b', 'add');
      await stage.reached('later g');
      await turns();
      expect(stage.count('add b 1')).toBe(0);
      stage.open('g');
      await Promise.all([first, second]);
      expect(stage.trace).toEqual(['setup', 'later g', 'add b 1']);
    });

    test('snapshot: is saved after setup and after each call, and restored without setup', async () => {
      const first = await start('saved', { tools: ['extra'] });
      const [failure, atFirst] = await ready(first.episode);
      expect([failure, JSON.parse(atFirst ?? '')]).toMatchObject([undefined, { total: 0 }]);
      await endingOf(first.episode, 'a', 'add', { n: 2 });
      const { saved } = await endingOf(first.episode, 'b', 'report');
      expect(JSON.parse(saved ?? '')).toMatchObject({ total: 3 });
      const luck = await endingOf(first.episode, 'c', 'luck');
      const again = await rebuild(first, { saved });
      expect(again.ready).toEqual([undefined, saved]);
      expect(await endingOf(again.episode, 'c', 'luck')).toEqual(luck);
      expect(await endingOf(again.episode, 'd', 'add')).toMatchObject({ json: expect.stringContaining('"4"') });
      expect(await endingOf(again.episode, 'e', 'extra')).toMatchObject({ kind: 'returned' });
      expect(first.stage.trace).toEqual(['setup', 'add a 1', 'restore', 'add d 1']);
    });

    test('snapshot: sets up where setup had not ended', async () => {
      const first = await start('saved');
      const again = await rebuild(first, {});
      expect(again.ready).toEqual([undefined, expect.stringContaining('"total":0')]);
      expect(first.stage.trace).toEqual(['setup']);
    });

    test('snapshot: a restore that throws is told as data', async () => {
      const first = await start('saved', { breaks: 'restore' });
      const [, saved] = await ready(first.episode);
      expect((await rebuild(first, { saved })).ready[0]).toMatchObject({
        code: 'restore_failed',
        thrown: { message: 'nothing to restore' },
      });
    });

    test('snapshot: an environment that cannot save what setup made does not begin', async () => {
      const { episode } = await start('saved', { breaks: 'save' });
      expect((await ready(episode))[0]).toMatchObject({ code: 'setup_failed', thrown: { message: 'nowhere to save' } });
    });

    test('snapshot: a call whose state cannot be saved has its result, and taints the episode', async () => {
      const { episode } = await start('saved');
      await ready(episode);
      const ending = await endingOf(episode, 'a', 'spoil');
      expect(ending).toMatchObject({
        kind: 'returned',
        tainted: { reason: 'save_failed', words: expect.stringContaining('save failed: ') },
      });
      expect(ending).not.toHaveProperty('saved');
    });

    test('snapshot: a call that was refused has changed nothing, and is not saved', async () => {
      const { episode } = await start('saved');
      await ready(episode);
      expect(Object.keys(await endingOf(episode, 'a', 'nonsense'))).not.toContain('saved');
      expect(Object.keys(await endingOf(episode, 'b', 'add', { n: 'x' }))).not.toContain('saved');
    });

    test('snapshot: a tool that took too long taints it only if it goes on', async () => {
      const { episode, stage } = await start('saved');
      await ready(episode);
      const listening = await endingOf(episode, 'a', 'listens');
      expect(listening).toMatchObject({ outcome: 'timeout', saved: expect.stringContaining('"total":0') });
      expect(listening).not.toHaveProperty('tainted');
      const ignoring = await endingOf(episode, 'b', 'ignores');
      expect(ignoring).toMatchObject({
        outcome: 'timeout',
        tainted: { reason: 'timeout', words: expect.stringContaining("tool 'ignores' took") },
      });
      stage.open('ignores');
    });

    test.each(['replayed', 'saved'])('%s: another task is refused', async (environment) => {
      const { runtime, start: begun } = await start(environment);
      const same: EpisodeStart = { ...begun, choice: { split: 'train', index: 1 } };
      const { taskDigest } = await open(runtime, same);
      expect(taskDigest).toEqual(expect.any(String));
      const past = { steps: [], finished: false, taskDigest };
      expect(await open(runtime, { ...same, past })).toMatchObject({ taskDigest });
      const moving: EpisodeStart = { ...begun, choice: { split: 'moving', index: 0 } };
      const { taskDigest: before } = await open(runtime, moving);
      await expect(open(runtime, { ...moving, past: { ...past, taskDigest: before } })).rejects.toMatchObject({
        code: 'task_changed',
        message: expect.stringContaining("task 0 of split 'moving'"),
      });
    });

    test('has no digest of a task that a client sent, or where nothing is promised', async () => {
      const { runtime, episode, start: begun } = await start('replayed');
      expect(episode.taskDigest).toBeUndefined();
      const other = await open(runtime, { ...begun, environment: 'plain', choice: { split: 'test', index: 0 } });
      expect(other.taskDigest).toBeUndefined();
    });

    test('is refused where nothing is promised', async () => {
      const { runtime, start: begun } = await start('plain');
      const past = { taskDigest: undefined, steps: [], finished: false };
      const episode = await open(runtime, { ...begun, past });
      expect((await ready(episode))[0]).toMatchObject({ code: 'restore_failed' });
    });

    test('is given up if it takes too long', async () => {
      const first = await start('replayed');
      await ready(first.episode);
      const name = 'later';
      const slow: PastStep = { kind: 'call', id: 'a', attempt: 1, name, input: { gate: 'g' }, told: 'anything' };
      const past = { taskDigest: undefined, steps: [slow], finished: false };
      const episode = await open(first.runtime, { ...first.start, past });
      const told = ready(episode);
      await first.stage.reached('later g');
      episode.giveUpSetup(30);
      expect((await told)[0]).toMatchObject({
        code: 'restore_failed',
        thrown: { message: 'it took longer than 30 ms' },
      });
    });
  });
}

interface Played {
  readonly runtime: EpisodeRuntime;
  readonly stage: Stage;
  readonly start: EpisodeStart;
  readonly episode: OpenEpisode;
}

async function open(runtime: EpisodeRuntime, start: EpisodeStart): Promise<OpenEpisode> {
  const episode = await runtime.open(start);
  onTestFinished(() => episode.close('the test is over'));
  return episode;
}

/** Opens an episode once more, with what has happened in it. */
async function rebuild({ runtime, start }: Played, past: Partial<Past>) {
  const episode = await open(runtime, {
    ...start,
    past: { taskDigest: undefined, steps: [], finished: false, ...past },
  });
  return { episode, ready: await ready(episode) };
}

function ready(episode: OpenEpisode): Promise<[failure: object | undefined, saved: string | undefined]> {
  return new Promise((resolve) => episode.begin((failure, saved) => resolve([failure, saved])));
}

function endingOf(episode: OpenEpisode, id: string, name: string, input: object = {}, attempt = 1): Promise<RunEnding> {
  return new Promise((resolve) => {
    const request = { call: 1, id, attempt, name, input: structuredClone(input) };
    episode.run(request, { accepted() {}, running() {}, ended: resolve });
  });
}

/** Runs a tool, and tells how it would stand in the past. */
async function step(
  episode: OpenEpisode,
  id: string,
  name: string,
  input: object = {},
  attempt = 1,
): Promise<PastStep> {
  const told = toldDigest(await endingOf(episode, id, name, input, attempt));
  return { kind: 'call', id, attempt, name, input, told };
}

async function promptStep(episode: OpenEpisode): Promise<PastStep> {
  return { kind: 'prompt', told: toldDigest(await episode.prompt()) };
}
