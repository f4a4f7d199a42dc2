import { type Environment, environment, step, ToolError } from 'tiltyard';
import { z } from 'zod';
import { note, waitAt } from './stage.ts';

// A module of its own, without anything of a test: a host may load it in another process.

const Task = z.looseObject({
  stage: z.string().optional(),
  /** Which task tools there are, if not all. */
  tools: z.array(z.enum(['extra'])).default([]),
  /** Whether setup takes a while. */
  slow: z.boolean().default(false),
  /** What breaks, apart from tools that do so by themselves. */
  breaks: z.enum(['nothing', 'save', 'restore']).default('nothing'),
});

type Task = z.infer<typeof Task>;

interface State {
  total: number;
  readonly luck: number;
  readonly stage: string | undefined;
  unsavable?: bigint;
}

// Another task each time it is read.
let reads = 0;

const shared = {
  task: Task,
  splits: {
    train: [{ id: 0 }, { id: 1 }],
    moving: {
      count: 1,
      get() {
        reads += 1;
        return { id: reads };
      },
    },
  },
  async setup({ task, random }: { task: Task; random: () => number }): Promise<State> {
    note(task.stage, 'setup');
    if (task.slow) await new Promise((resolve) => setTimeout(resolve, 20));
    return { total: 0, luck: random(), stage: task.stage };
  },
  prompt({ state, random, seed }: { state: State; random: () => number; seed: number }) {
    note(state.stage, 'prompt');
    return `${seed} ${state.luck} ${random()}`;
  },
  teardown: ({ task }: { task: Task }) => note(task.stage, 'teardown'),
  taskTools: ({ task }: { task: Task }) => task.tools,
} as const;

interface Context {
  readonly state: State;
  readonly signal: AbortSignal;
  readonly callId: string;
  readonly attempt: number;
  readonly random: () => number;
}

const tools = {
  add: {
    input: z.object({ n: z.number().default(1), finished: z.boolean().default(false) }),
    run({ n, finished }: { n: number; finished: boolean }, { state, callId, attempt }: Context) {
      note(state.stage, `add ${callId} ${attempt}`);
      state.total += n;
      return step(`${state.total}`, { reward: n, finished });
    },
  },
  roll: { run: (_input: {}, { random, state }: Context) => `${random()} ${random()} ${state.total}` },
  luck: { run: (_input: {}, { state }: Context) => `${state.luck}` },
  report: {
    run(_input: {}, { state }: Context): string {
      state.total += 1;
      throw new ToolError(`at ${state.total}`);
    },
  },
  mail: {
    description: 'Is never run twice.',
    effects: 'external',
    run(_input: {}, { state, callId }: Context) {
      note(state.stage, `mail ${callId}`);
      return 'sent';
    },
  },
  mailLater: {
    description: 'Is never run twice, and takes its time.',
    effects: 'external',
    input: z.object({ gate: z.string() }),
    async run({ gate }: { gate: string }, { state, signal }: Context) {
      note(state.stage, `mailLater ${gate}`);
      await waitAt(state.stage, gate, signal);
      return 'sent';
    },
  },
  put: {
    description: 'May be run twice.',
    effects: 'idempotent',
    run(_input: {}, { state, callId }: Context) {
      note(state.stage, `put ${callId}`);
      return 'put';
    },
  },
  putLater: {
    description: 'May be run twice, and takes its time.',
    effects: 'idempotent',
    input: z.object({ gate: z.string() }),
    async run({ gate }: { gate: string }, { state, callId, attempt, signal }: Context) {
      note(state.stage, `putLater ${callId} ${attempt}`);
      await waitAt(state.stage, gate, signal);
      return 'put';
    },
  },
  drift: { description: 'Another result each time.', run: () => `${process.hrtime.bigint()}` },
  later: {
    input: z.object({ gate: z.string() }),
    async run({ gate }: { gate: string }, { state, signal }: Context) {
      note(state.stage, `later ${gate}`);
      await waitAt(state.stage, gate, signal);
      return 'waited';
    },
  },
  listens: {
    description: 'Takes too long, and ends when it is told to.',
    timeoutMs: 20,
    run: (_input: {}, { signal }: Context) =>
      new Promise<string>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  },
  ignores: {
    description: 'Takes too long, and goes on.',
    timeoutMs: 20,
    run: async (_input: {}, { state }: Context) => {
      await waitAt(state.stage, 'ignores');
      state.total += 100;
      return 'too late';
    },
  },
  spoil: {
    description: 'Puts into the state what cannot be saved.',
    run(_input: {}, { state }: Context) {
      state.unsavable = 1n;
      return 'spoilt';
    },
  },
  extra: { shared: false, run: () => 'extra' },
} as const;

/**
 * One that is built again by doing everything again, and one from what it saved. A function: environments are loaded in the order
 * they were defined.
 */
export function durableEnvironments(): [replayed: Environment, saved: Environment] {
  return [
    environment({ ...shared, name: 'replayed', durability: 'replay', tools }),
    environment({
      ...shared,
      name: 'saved',
      durability: 'snapshot',
      async save({ state, task }) {
        if (task.breaks === 'save') throw new Error('nowhere to save');
        await new Promise(setImmediate);
        const { unsavable, total, luck } = state;
        return { total, luck, unsavable };
      },
      restore({ saved: { total, luck }, task }) {
        note(task.stage, 'restore');
        if (task.breaks === 'restore') throw new Error('nothing to restore');
        return { total, luck, stage: task.stage };
      },
      tools,
    }),
  ];
}
