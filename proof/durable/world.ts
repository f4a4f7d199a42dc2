import { setTimeout as pause } from 'node:timers/promises';
import { type Environment, environment, ToolError, type Toolkit, tool, toolkit } from 'tiltyard';
import { z } from 'zod';
import { Ledger, type Scorable } from '../chaos/ledger.ts';

// What the durable target serves, in its own process or in those of workers: LEDGER and LIFE say where it writes, and for which server.
const { LEDGER = 'ledger', LIFE = '1' } = process.env;
const ledger = new Ledger(LEDGER, Number(LIFE));

const TASK = z.object({ episode: z.string(), setupMs: z.int().default(0) });
const CALL = z.object({ token: z.string(), ms: z.int().min(0).max(2_000).default(0) });
const COUNTED = CALL.extend({ n: z.int() });
const OXP_CALL = CALL.extend({ episode: z.string() });

type Task = z.infer<typeof TASK>;
type Call = z.infer<typeof CALL>;
type Counted = z.infer<typeof COUNTED>;

interface State {
  readonly episode: string;
  /** How many calls have counted, and what they come to. */
  count: number;
  sum: number;
}

interface Context {
  readonly state: State;
  readonly attempt: number;
  readonly random: () => number;
}

/** Chance that comes again when the episode is built again, or does not. */
type Luck = (context: Context) => number;
const SAME_AGAIN: Luck = ({ random }) => random();
const NEVER_AGAIN: Luck = () => Math.random();

const shared = {
  task: TASK,
  splits: { train: [] },
  async setup({ task: { episode, setupMs } }: { task: Task }): Promise<State> {
    ledger.note(episode, 'setup');
    await pause(setupMs);
    return { episode, count: 0, sum: 0 };
  },
  prompt: ({ state }: { state: State }) => `This is ${state.episode}.`,
  async teardown({ task: { episode } }: { task: Task }) {
    ledger.note(episode, 'teardown');
    await pause(5);
    ledger.note(episode, 'torn down');
  },
} as const;

function tools(luck: Luck) {
  const counted =
    (name: string) =>
    ({ token, ms, n }: Counted, context: Context) => {
      const { state, attempt } = context;
      return ledger.run({ episode: state.episode, token, tool: name, attempt }, async () => {
        await pause(ms);
        state.count += 1;
        state.sum += n;
        return { text: `${token} count ${state.count} sum ${state.sum} luck ${luck(context)}`, reward: n };
      });
    };
  return {
    add: { input: COUNTED, run: counted('add') },
    pay: { effects: 'idempotent', input: COUNTED, run: counted('pay') },
    mail: {
      effects: 'external',
      input: CALL,
      run: ({ token, ms }: Call, { state: { episode }, attempt }: Context) =>
        ledger.run({ episode, token, tool: 'mail', attempt }, () => pause(ms, unforeseen(token))),
    },
    look: {
      concurrent: true,
      input: CALL,
      run: ({ token, ms }: Call, { state: { episode } }: Context) =>
        ledger.run({ episode, token, tool: 'look' }, () => pause(ms, { text: `${token} in ${episode}` })),
    },
    fail: {
      input: CALL,
      run: ({ token, ms }: Call, { state: { episode } }: Context) =>
        ledger.run({ episode, token, tool: 'fail' }, async () => {
          await pause(ms);
          throw new ToolError(`${token} broke`);
        }),
    },
    finish: {
      input: CALL,
      run: ({ token }: Call, { state: { episode } }: Context) =>
        ledger.run({ episode, token, tool: 'finish' }, () => ({ text: token, reward: 1, finished: true })),
    },
    drift: {
      input: CALL,
      run: ({ token }: Call, { state: { episode } }: Context) =>
        ledger.run({ episode, token, tool: 'drift' }, () => unforeseen(token)),
    },
  } as const;
}

/** Built again by doing everything again. */
export const replayed: Environment = environment({
  ...shared,
  name: 'replayed',
  durability: 'replay',
  tools: tools(SAME_AGAIN),
}) as Environment;

/** Says that it gives the same again, and does not. */
export const drifting: Environment = environment({
  ...shared,
  name: 'drifting',
  durability: 'replay',
  tools: tools(SAME_AGAIN),
}) as Environment;

/** Built again from what it saved; its results never come twice. */
export const saved: Environment = environment({
  ...shared,
  name: 'saved',
  durability: 'snapshot',
  save: ({ state: { count, sum } }) => ({ count, sum }),
  async restore({ saved: { count, sum }, task: { episode } }) {
    ledger.note(episode, 'restore');
    await pause(1);
    return { episode, count, sum };
  },
  tools: tools(NEVER_AGAIN),
}) as Environment;

/** Never built again. */
export const plain: Environment = environment({ ...shared, name: 'plain', tools: tools(NEVER_AGAIN) }) as Environment;

/** Tools outside episodes. */
export const kit: Toolkit = toolkit({
  name: 'Durable',
  tools: {
    Put: tool({
      version: '1.0.0',
      effects: 'idempotent',
      input: OXP_CALL,
      async run({ episode, token, ms }, { attempt }) {
        const done = unforeseen(token);
        await ledger.run({ episode, token, tool: 'Put', attempt }, () => pause(ms, done));
        return done.text;
      },
    }),
    Mail: tool({
      version: '1.0.0',
      effects: 'external',
      input: OXP_CALL,
      async run({ episode, token, ms }, { attempt }) {
        const done = unforeseen(token);
        await ledger.run({ episode, token, tool: 'Mail', attempt }, () => pause(ms, done));
        return done.text;
      },
    }),
  },
});

// Nobody can know it who was not told.
function unforeseen(token: string): Scorable {
  return { text: `${token} ${Math.random()}` };
}
