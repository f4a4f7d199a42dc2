import { expect, test } from 'vitest';
import { gated } from '../../../test/support/gates.ts';
import { catalog, silent } from '../../core/index.ts';
import type { RunListener } from '../call.ts';
import { DEFAULT_SESSION_OPTIONS } from '../options.ts';
import { Episode } from './episode.ts';
import { Runner } from './runner.ts';

/** A runner of the gated environment, with what its runs told. */
function gatedRunner() {
  const gates = gated();
  const environment = catalog(gates.environments).first;
  const episode = new Episode({ session: 1, sid: 's', environment, task: {}, secrets: {}, seed: 1 }, silent);
  const told: string[] = [];
  const listener: RunListener = {
    accepted: () => void told.push('accepted'),
    running: () => void told.push('running'),
    ended: ({ kind }) => void told.push(kind),
  };
  return { ...gates, told, listener, runner: new Runner(episode, DEFAULT_SESSION_OPTIONS) };
}

function runOf(call: number) {
  return { call, id: `c${call}`, attempt: 1, name: 'wait', input: {} };
}

test('a tool is at work until it has ended, and nothing is kept of it afterwards', async () => {
  const { runner, listener, told, tool } = gatedRunner();
  runner.run(runOf(1), listener);
  expect(told).toEqual(['accepted', 'running']);
  tool.open();
  await expect.poll(() => told).toEqual(['accepted', 'running', 'returned']);
  await expect.poll(() => runner.stop(new Error('over'))).toEqual([]);
});

test('a tool that is cut off is told so, and it is known what to wait for; nobody hears of it', async () => {
  const { runner, listener, told, trace } = gatedRunner();
  runner.run(runOf(1), listener);
  runner.run(runOf(2), listener);
  const stopping = runner.stop(new Error('over'));
  expect(stopping.map(({ what }) => what)).toEqual(["tool 'wait'"]);
  await Promise.all(stopping.map(({ ended }) => ended));
  expect(trace).toEqual(['wait', 'wait:aborted', 'wait:end']);
  expect(told).toEqual(['accepted', 'running', 'accepted']);
});
