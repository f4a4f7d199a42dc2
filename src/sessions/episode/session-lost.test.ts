import { expect, onTestFinished, test } from 'vitest';
import { hear, refOf } from '../../../test/support/host.ts';
import { catalog, environment } from '../../core/index.ts';
import type { HostEvent } from '../events.ts';
import { LocalHost } from '../local-host.ts';
import { DEFAULT_SESSION_OPTIONS } from '../options.ts';
import { LocalRuntime } from './local-runtime.ts';
import { type Loss, lossOfProcess } from './loss.ts';
import type { EpisodeRuntime, OpenEpisode } from './runtime.ts';

const waiting = environment({
  name: 'waiting',
  splits: { train: [{}] },
  prompt: () => 'Wait.',
  tools: { wait: { run: () => new Promise<string>(() => {}) }, look: { run: () => 'seen' } },
});

/** A host whose runtime loses episodes when it is told to, as one in another process may. */
function losingHost() {
  const events: HostEvent[] = [];
  const options = {
    ...DEFAULT_SESSION_OPTIONS,
    graceMs: 10,
    observer: { on: (event: HostEvent) => void events.push(event) },
  };
  const local = new LocalRuntime(catalog([waiting]), options);
  const losses: ((loss: Loss) => void)[] = [];
  const closed: string[] = [];
  const runtime: EpisodeRuntime = {
    manifest: local.manifest,
    tasks: (query) => local.tasks(query),
    async open(start) {
      const episode = await local.open(start);
      await new Promise(setImmediate);
      const losing: OpenEpisode = {
        environment: episode.environment,
        needsSetup: episode.needsSetup,
        taskDigest: episode.taskDigest,
        begin(onReady, onLost = () => {}) {
          losses.push(onLost);
          episode.begin(onReady);
        },
        giveUpSetup: (limitMs) => episode.giveUpSetup(limitMs),
        prompt: () => episode.prompt(),
        tools: () => episode.tools(),
        run: (request, listener) => episode.run(request, listener),
        abort: (call, reason) => episode.abort(call, reason),
        close(reason) {
          closed.push(start.sid);
          return episode.close(reason);
        },
      };
      return losing;
    },
  };
  const host = new LocalHost(runtime, options);
  onTestFinished(() => host.drain());
  return { host, events, closed, lose: () => losses.shift()?.(lossOfProcess('it was ended by SIGKILL', 0)) };
}

const REQUEST = { choice: { task: {} }, secrets: {} };

test('a session whose code can no longer run ends as lost, and tells its calls why', async () => {
  const { host, events, lose } = losingHost();
  const ref = refOf('s');
  await host.create(ref, REQUEST);
  const call = hear(host, ref, { name: 'wait', input: {} });
  lose();
  expect(call.ending).toMatchObject({
    kind: 'failed',
    outcome: 'env_error',
    failure: { code: 'session_lost', message: expect.stringContaining('SIGKILL') },
  });
  await expect(host.prompt(ref)).rejects.toMatchObject({ code: 'session_lost' });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(host.touch(ref)).toMatchObject({ code: 'session_lost' });
  expect(hear(host, ref, { name: 'look', input: {} }).ending).toMatchObject({ failure: { code: 'session_lost' } });
  const ended = { type: 'session_ended', reason: 'lost', outcome: 'env_error', reward: null };
  expect(events.at(-1)).toMatchObject(ended);
  // Its id is free again.
  await host.create(ref, REQUEST);
});

test('an episode that was opened for nobody is closed', async () => {
  const { host, closed } = losingHost();
  const created = host.create(refOf('early'), REQUEST).catch(({ code }) => code);
  await host.end(refOf('early'));
  expect(await created).toBe('session_gone');
  const late = host.create(refOf('late'), REQUEST).catch(({ code }) => code);
  await host.drain();
  expect(await late).toBe('shutting_down');
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(closed).toEqual(['early', 'late']);
});
