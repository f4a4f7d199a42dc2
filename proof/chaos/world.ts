import { setTimeout as pause } from 'node:timers/promises';
import { type Environment, environment, ToolError, type Toolkit, tool, toolkit } from 'tiltyard';
import { z } from 'zod';
import type { Ledger, Scorable } from './ledger.ts';

const CHAOS_TASK = z.object({
  episode: z.string(),
  setup: z.enum(['quick', 'slow', 'fails', 'hangs', 'deaf']),
  teardown: z.enum(['quick', 'slow', 'fails']),
});

/** How an episode begins and ends. */
export type ChaosTask = z.infer<typeof CHAOS_TASK>;

/** What an episode logs first: it tells whose the session is, in which the lines that follow are. */
export const EPISODE_BEGINS = 'episode begins';

// Whoever ignores its signal, and whoever waits for it, ends all the same: a call that waits keeps its session alive.
const DEAF_MS = 800;
// Longer than a server takes to stop.
const OXP_DEAF_MS = 1_500;
const HANG_MS = 1_500;

const CALL = z.object({ token: z.string(), ms: z.int().min(0).max(500).default(0) });
const BIG = z.object({ token: z.string(), characters: z.int().min(1).max(1_000_000) });
const OXP_CALL = CALL.extend({ episode: z.string() });

/** An environment whose every part misbehaves when it is asked to, and writes down what it does. */
export function chaosEnvironment(ledger: Ledger): Environment {
  return environment({
    name: 'chaos',
    task: CHAOS_TASK,
    splits: { train: [] },
    async setup({ task: { episode, setup }, signal, log }) {
      ledger.note(episode, 'setup');
      log.info(EPISODE_BEGINS, { episode });
      if (setup === 'slow') await pause(30);
      if (setup === 'fails') throw new Error('the setup broke');
      if (setup === 'hangs') await pause(HANG_MS, undefined, { signal });
      if (setup === 'deaf') await pause(DEAF_MS);
      return { episode };
    },
    prompt: ({ task: { episode } }) => `This is ${episode}.`,
    tools: {
      quick: {
        input: CALL,
        run: ({ token }, { state: { episode } }) =>
          ledger.run({ episode, token, tool: 'quick' }, () => scored(episode, token)),
      },
      slow: {
        input: CALL,
        run: ({ token, ms }, { state: { episode }, signal }) =>
          ledger.run({ episode, token, tool: 'slow' }, async () => {
            await pause(ms, undefined, { signal });
            return scored(episode, token);
          }),
      },
      shared: {
        concurrent: true,
        input: CALL,
        run: ({ token, ms }, { state: { episode } }) =>
          ledger.run({ episode, token, tool: 'shared' }, async () => {
            await pause(ms);
            return scored(episode, token);
          }),
      },
      big: {
        input: BIG,
        maxOutputBytes: 4_000_000,
        run: ({ token, characters }, { state: { episode } }) =>
          ledger.run({ episode, token, tool: 'big' }, () => scored(episode, `${token} ${'ä'.repeat(characters)}`)),
      },
      broken: {
        input: CALL,
        run: ({ token }, { state: { episode } }) =>
          ledger.run({ episode, token, tool: 'broken' }, () => {
            throw new Error(`${token} broke`);
          }),
      },
      failing: {
        input: CALL,
        run: ({ token, ms }, { state: { episode } }) =>
          ledger.run({ episode, token, tool: 'failing' }, async () => {
            await pause(ms);
            throw new ToolError(`${token} broke`);
          }),
      },
      deaf: {
        input: CALL,
        timeoutMs: 100,
        run: ({ token }, { state: { episode } }) =>
          ledger.run({ episode, token, tool: 'deaf' }, async () => {
            await pause(DEAF_MS);
            return scored(episode, token);
          }),
      },
      finish: {
        input: CALL,
        run: ({ token }, { state: { episode } }) =>
          ledger.run({ episode, token, tool: 'finish' }, () => ({ ...scored(episode, token), finished: true })),
      },
    },
    async teardown({ task: { episode, teardown } }) {
      ledger.note(episode, 'teardown');
      if (teardown === 'slow') await pause(30);
      ledger.note(episode, 'torn down');
      if (teardown === 'fails') throw new Error('the teardown broke');
    },
  }) as Environment;
}

/** The same for tools outside episodes. */
export function chaosToolkit(ledger: Ledger): Toolkit {
  return toolkit({
    name: 'Chaos',
    tools: {
      Quick: tool({
        version: '1.0.0',
        input: OXP_CALL,
        run: ({ episode, token }) => {
          const { text } = scored(episode, token);
          ledger.run({ episode, token, tool: 'Quick' }, () => ({ text }));
          return text;
        },
      }),
      Slow: tool({
        version: '1.0.0',
        input: OXP_CALL,
        async run({ episode, token, ms }) {
          const { text } = scored(episode, token);
          await ledger.run({ episode, token, tool: 'Slow' }, () => pause(ms, { text }));
          return text;
        },
      }),
      Long: tool({
        version: '1.0.0',
        input: OXP_CALL,
        async run({ episode, token, ms }, { signal }) {
          const { text } = scored(episode, token);
          await ledger.run({ episode, token, tool: 'Long' }, () => pause(ms, { text }, { signal }));
          return text;
        },
      }),
      Deaf: tool({
        version: '1.0.0',
        input: OXP_CALL,
        async run({ episode, token }) {
          const { text } = scored(episode, token);
          await ledger.run({ episode, token, tool: 'Deaf' }, () => pause(OXP_DEAF_MS, { text }));
          return text;
        },
      }),
      Broken: tool({
        version: '1.0.0',
        input: OXP_CALL,
        run: ({ episode, token }) =>
          ledger.run({ episode, token, tool: 'Broken' }, () => {
            throw new Error(`${token} broke`);
          }),
      }),
    },
  });
}

// Random, so that nobody can know it who was not told.
function scored(episode: string, token: string): Required<Pick<Scorable, 'text' | 'reward'>> {
  return { text: `${episode} ${token} ${Math.random()}`, reward: Math.random() < 0.1 ? null : Math.random() * 2 - 1 };
}
