import { expect, test } from 'vitest';
import { catalog, environment, type Log } from '../../core/index.ts';
import { DEFAULT_SESSION_OPTIONS } from '../options.ts';
import { LocalRuntime } from './local-runtime.ts';
import type { Past } from './runtime.ts';

/** Begins an episode of an environment that writes to its log, and returns the lines. */
async function linesOf(past: Past | undefined): Promise<object[]> {
  const lines: object[] = [];
  const write = (level: string) => (fields: object, message?: string) => void lines.push({ level, message, ...fields });
  const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const talkative = environment({
    name: 'talkative',
    splits: { train: [{ id: 0 }] },
    durability: 'replay',
    setup: (context) => context.log.warn('setting up'),
    prompt: () => '',
    tools: { look: { run: () => '' } },
  });
  const runtime = new LocalRuntime(catalog([talkative]), { ...DEFAULT_SESSION_OPTIONS, log });
  const start = { session: 1, sid: 's', environment: undefined, choice: { split: 'train', index: 0 } };
  const episode = await runtime.open({ ...start, secrets: {}, seed: 1, past });
  await new Promise((resolve) => episode.begin(resolve));
  await episode.close('the test is over');
  return lines;
}

test('what code writes when it is run again is there for debugging only', async () => {
  const fields = { sid: 's', environment: 'talkative', message: 'setting up' };
  expect(await linesOf(undefined)).toEqual([{ ...fields, level: 'warn' }]);
  const past: Past = { taskDigest: undefined, steps: [], finished: false };
  expect(await linesOf(past)).toEqual([{ ...fields, level: 'debug', replaying: true }]);
});
