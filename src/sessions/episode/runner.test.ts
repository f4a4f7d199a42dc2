import { expect, test } from 'vitest';
import { gated } from '../../../test/support/gates.ts';
import { catalog, silent } from '../../core/index.ts';
import { DEFAULT_SESSION_OPTIONS } from '../options.ts';
import { Call } from './call.ts';
import { Episode } from './episode.ts';
import { Runner } from './runner.ts';

test('a tool is at work until it has ended, and nothing is kept of it afterwards', async () => {
  const { environments, tool } = gated();
  const environment = catalog(environments).first;
  const episode = new Episode({ sid: 's', environment, task: {}, secrets: {} }, silent);
  const runner = new Runner(episode, (call, ending) => void call.settle(ending), DEFAULT_SESSION_OPTIONS);
  const call = new Call('mine', 'wait');
  runner.admit(call, { name: 'wait', input: {} });
  expect(runner.executing.map(({ what }) => what)).toEqual(["tool 'wait'"]);
  tool.open();
  await Promise.all(runner.executing.map(({ ended }) => ended));
  expect(call.phase).toBe('settled');
  await expect.poll(() => runner.executing).toEqual([]);
});
