import { describe, expect, onTestFinished, test } from 'vitest';
import type { Awaitable } from '../../src/core/index.ts';
import type {
  EpisodeRuntime,
  EpisodeStart,
  OpenEpisode,
  RunEnding,
  RunRequest,
  SessionOptions,
} from '../../src/sessions/index.ts';
import { eventually } from '../support/clock.ts';
import { pause, turns, WITHOUT_SECRET } from './harness.ts';
import { describeRebuilding } from './rebuild-contract.ts';
import { Stage } from './stage.ts';

/** Makes a runtime of the environments in environments.ts, at the defaults but for these options. */
export type MakeRuntime = (options: Partial<SessionOptions>) => Awaitable<EpisodeRuntime>;

/** States what every runtime of episodes must do, wherever authors' code runs. */
export function describeRuntime(name: string, makeRuntime: MakeRuntime): void {
  /** An episode that has not begun, and is closed when its test ends. */
  async function open(task: object = {}, start: Partial<EpisodeStart> = {}) {
    const [runtime, stage] = [await makeRuntime({ graceMs: 50 }), new Stage()];
    const choice = { task: { stage: stage.folder, ...task } };
    const episode = await runtime.open({ ...START, choice, ...start });
    onTestFinished(() => episode.close('the test is over'));
    return { runtime, stage, episode };
  }

  /** An episode that is ready. */
  async function begin(task: object = {}) {
    const opened = await open(task);
    expect(await ready(opened.episode)).toBeUndefined();
    return { ...opened, run: (request: Wanted) => run(opened.episode, request) };
  }

  describe(name, () => {
    test('tells what it has, and reads tasks', async () => {
      const runtime = await makeRuntime({});
      expect(runtime.manifest).toEqual(structuredClone(runtime.manifest));
      expect(runtime.manifest.environments.map((each) => each.name)).toEqual([
        'contract',
        'plain',
        'replayed',
        'saved',
      ]);
      const page = await runtime.tasks({ environment: 'contract', split: 'train', read: 'one', index: 2 });
      expect(page.tasks).toEqual([{ id: 2 }]);
    });

    test('tells what it promises of episodes whose process ends, and which tools do more than change their state', async () => {
      const { manifest } = await makeRuntime({});
      const effects = { mail: 'external', mailLater: 'external', put: 'idempotent', putLater: 'idempotent' };
      expect(manifest.environments.map((each) => [each.durability, each.effects])).toEqual([
        ['none', {}],
        ['none', {}],
        ['replay', effects],
        ['snapshot', effects],
      ]);
    });

    test('opens an episode of the first environment, or of the one that is named in any case', async () => {
      const { episode } = await open();
      expect(episode).toMatchObject({ environment: 'contract', needsSetup: true });
      const other = await open({}, { environment: 'PLAIN' });
      expect(other.episode).toMatchObject({ environment: 'plain', needsSetup: false });
    });

    test.each<[what: string, start: Partial<EpisodeStart>, code: string]>([
      ['an environment', { environment: 'nowhere' }, 'unknown_environment'],
      ['an index', { choice: { split: 'train', index: 3 } }, 'bad_index'],
      ['a task that fits', { choice: { task: { setup: 'nonsense' } } }, 'invalid_task'],
      ['a task of the author’s that fits', { choice: { split: 'broken', index: 0 } }, 'environment_failed'],
    ])('opens nothing without %s', async (_what, start, code) => {
      await expect(open({}, start)).rejects.toMatchObject({ code });
    });

    test('runs none of an episode’s code before it begins, and has nothing to tear down then', async () => {
      const { episode, stage } = await open();
      await episode.close('nobody wants it');
      expect(stage.trace).toEqual([]);
    });

    test('begins once setup is over, and at once if there is none', async () => {
      const { episode, stage } = await open({ setup: 'waits' });
      const isReady = ready(episode);
      await stage.reached('setup');
      stage.open('setup');
      expect(await isReady).toBeUndefined();
      expect(stage.trace).toEqual(['setup', 'setup ends']);
      const other = await open({}, { environment: 'plain' });
      expect(await ready(other.episode)).toBeUndefined();
    });

    test('tells a setup that failed as data, without secrets', async () => {
      const { episode } = await open({ setup: 'fails' });
      const failure = await ready(episode);
      expect(failure).toMatchObject({ code: 'setup_failed', thrown: { message: WITHOUT_SECRET } });
      expect(failure).toEqual(structuredClone(failure));
      const refusing = await open({ setup: 'refuses' });
      expect(await ready(refusing.episode)).toMatchObject({ code: 'setup_failed', status: 422 });
    });

    test.each(['waits', 'ignores its signal'])('gives up a setup that %s, once, and tears it down', async (setup) => {
      const { episode, stage } = await open({ setup });
      const told: unknown[] = [];
      episode.begin((failure) => void told.push(failure));
      await stage.reached('setup');
      episode.giveUpSetup(30);
      await eventually(() => expect(told).toMatchObject([{ code: 'setup_failed' }]));
      await episode.close('it failed');
      stage.open('setup');
      await turns();
      expect(told).toHaveLength(1);
      expect(stage.count('teardown without state')).toBe(1);
    });

    test('has the prompt and the tools of a task', async () => {
      const { episode } = await begin({ id: 3, tools: ['special'] });
      expect(await episode.prompt()).toMatchObject([{ text: 'Task 3.' }]);
      expect((await episode.tools()).map((tool) => tool.name)).toContain('special');
      const { episode: failing } = await begin({ prompt: 'fails' });
      await expect(failing.prompt()).rejects.toMatchObject({ code: 'environment_failed' });
    });

    test('tells of a run that it is accepted, that it runs, and how it ended, with what it paid', async () => {
      const { run } = await begin();
      const heard = run({ call: 1, name: 'pay', input: { reward: 0.5, finished: true } });
      const { ending } = await heard.over;
      expect(heard.told).toEqual(['accepted', 'running', 'returned']);
      expect(ending).toMatchObject({ kind: 'returned', reward: 0.5, finished: true });
      expect(ending).toEqual(structuredClone(ending));
      const { ending: after } = await run({ call: 2, name: 'look', input: {} }).over;
      expect(after).toMatchObject({ kind: 'refused', failure: { code: 'episode_finished' } });
    });

    test.each<[tool: string, input: object, ending: object, told: string[]]>([
      ['nonsense', {}, { kind: 'refused', failure: { code: 'unknown_tool' } }, ['refused']],
      ['wait', { gate: 5 }, { kind: 'refused', failure: { code: 'invalid_input' } }, ['refused']],
      ['report', {}, { kind: 'failed', outcome: 'tool_error' }, ['accepted', 'running', 'failed']],
      ['crash', {}, { kind: 'failed', outcome: 'env_error' }, ['accepted', 'running', 'failed']],
      ['hang', {}, { kind: 'failed', outcome: 'timeout' }, ['accepted', 'running', 'failed']],
    ])('tells how a run of %s with %j ended', async (tool, input, ending, told) => {
      const { run } = await begin();
      const heard = run({ call: 1, name: tool, input });
      expect((await heard.over).ending).toMatchObject(ending);
      expect(heard.told).toEqual(told);
    });

    test('runs calls of one tool one after the other, in the order they came', async () => {
      const { run, stage } = await begin();
      const runs = ['a', 'b', 'c'].map((gate, call) => run({ call, name: 'wait', input: { gate } }));
      await stage.reached('wait a');
      for (const gate of ['c', 'b', 'a']) stage.open(gate);
      await Promise.all(runs.map(({ over }) => over));
      expect(stage.trace.filter((line) => !line.endsWith('ends'))).toEqual(['setup', 'wait a', 'wait b', 'wait c']);
    });

    test('aborts what runs when an episode is closed, tears down after it, and tells nobody', async () => {
      const { episode, run, stage } = await begin();
      const runs = [1, 2].map((call) => run({ call, name: 'wait', input: { gate: 'a' } }));
      await stage.reached('wait a');
      await eventually(() => expect(runs[1]?.told).toEqual(['accepted']));
      await episode.close('the session was deleted');
      await pause(10);
      expect(stage.trace.slice(-3)).toEqual(['wait a', 'wait a aborted', 'teardown']);
      expect(runs.map(({ told }) => told)).toEqual([['accepted', 'running'], ['accepted']]);
    });

    test('does not wait for ever for a setup that ignores its signal', async () => {
      const { episode, stage } = await open({ setup: 'ignores its signal' });
      episode.begin(() => {});
      await stage.reached('setup');
      await episode.close('the session was deleted');
      expect(stage.trace).toEqual(['setup', 'teardown without state']);
      stage.open('setup');
    });

    describeRebuilding(makeRuntime);
  });
}

const START: EpisodeStart = {
  session: 1,
  sid: 's',
  environment: undefined,
  choice: { task: {} },
  secrets: { KEY: 'hunter2-hunter2' },
  seed: 1,
};

function ready(episode: OpenEpisode): Promise<object | undefined> {
  return new Promise((resolve) => episode.begin(resolve));
}

/** What was told of a run so far, and its end. */
interface HeardRun {
  readonly told: readonly string[];
  readonly over: Promise<{ readonly ending: RunEnding }>;
}

/** A run whose id is of no concern. */
type Wanted = Omit<RunRequest, 'id' | 'attempt'> & Partial<RunRequest>;

function run(episode: OpenEpisode, request: Wanted): HeardRun {
  const told: string[] = [];
  const over = new Promise<{ ending: RunEnding }>((resolve) => {
    episode.run(
      { id: `c${request.call}`, attempt: 1, ...request },
      {
        accepted: () => void told.push('accepted'),
        running: () => void told.push('running'),
        ended(ending) {
          told.push(ending.kind);
          resolve({ ending });
        },
      },
    );
  });
  return { told, over };
}
