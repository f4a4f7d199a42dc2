import { type Environment, environment, SetupError, step, ToolError } from 'tiltyard';
import { z } from 'zod';
import { durableEnvironments } from './durable-environments.ts';
import { note, waitAt } from './stage.ts';

// A module of its own, without anything of a test: a host may load it in another process.

const Task = z.looseObject({
  /** The folder of the test's stage. */
  stage: z.string().optional(),
  setup: z.enum(['plain', 'waits', 'ignores its signal', 'fails', 'refuses']).default('plain'),
  prompt: z.enum(['plain', 'fails']).default('plain'),
  tools: z.array(z.enum(['special'])).default([]),
});

const gate = z.object({ gate: z.string() });

/** The environment of most tests of hosts. */
const contract: Environment = environment({
  name: 'contract',
  task: Task,
  splits: {
    train: [{ id: 0 }, { id: 1 }, { id: 2 }],
    broken: { count: 1, get: () => ({ setup: 'nonsense' }) as never },
    failing: {
      count: 1,
      get() {
        throw new Error('no such disk');
      },
    },
  },
  async setup({ task, secrets, signal }) {
    note(task.stage, 'setup');
    if (task.setup === 'fails') throw new Error(`broken with ${secrets.KEY}`);
    if (task.setup === 'refuses') throw new SetupError('no such world', { status: 422 });
    if (task.setup === 'waits') await waitAt(task.stage, 'setup', signal);
    if (task.setup === 'ignores its signal') await waitAt(task.stage, 'setup');
    note(task.stage, 'setup ends');
    return { steps: 0 };
  },
  prompt({ task }) {
    note(task.stage, 'prompt');
    if (task.prompt === 'fails') throw new Error('no prompt');
    return `Task ${task.id}.`;
  },
  taskTools: ({ task }) => task.tools,
  tools: {
    look: {
      description: 'Answers at once.',
      run(_input, { task }) {
        note(task.stage, 'look');
        return 'seen';
      },
    },
    later: {
      description: 'Answers a little later.',
      async run(_input, { task }) {
        await new Promise(setImmediate);
        note(task.stage, 'later');
        return 'seen';
      },
    },
    pay: {
      description: 'Pays what it is told, and ends the episode if it is told so.',
      input: z.object({ reward: z.number(), finished: z.boolean().default(false) }),
      run: (paid) => step('paid', paid),
    },
    wait: {
      description: 'Waits at a gate, unless it is aborted; one at a time.',
      input: gate,
      run: ({ gate }, { task, signal }) => waitFor('wait', gate, task.stage, signal),
    },
    together: {
      description: 'Waits at a gate, unless it is aborted; many at a time.',
      concurrent: true,
      input: gate,
      run: ({ gate }, { task, signal }) => waitFor('together', gate, task.stage, signal),
    },
    report: {
      description: 'Reports a failure.',
      run() {
        throw new ToolError('not here', { promptContent: 'Try there.' });
      },
    },
    crash: {
      description: 'Crashes.',
      async run(_input, { secrets }) {
        throw new Error(`broken with ${secrets.KEY}`);
      },
    },
    hang: {
      description: 'Takes too long.',
      timeoutMs: 20,
      run: (_input, { signal }) =>
        new Promise<string>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    },
    special: { description: 'Only some tasks have it.', shared: false, run: () => 'special' },
  },
  teardown({ task, state }) {
    note(task.stage, state === undefined ? 'teardown without state' : 'teardown');
  },
});

/** One that has nothing to set up. */
const plain: Environment = environment({
  name: 'Plain',
  splits: { test: [{ id: 0 }] },
  prompt: () => 'Begin.',
  tools: { look: { run: () => 'plainly seen' } },
});

/** All of them; the first one is the default. */
export const environments: readonly Environment[] = [contract, plain, ...durableEnvironments()];

async function waitFor(tool: string, gate: string, stage: string | undefined, signal: AbortSignal): Promise<string> {
  note(stage, `${tool} ${gate}`);
  try {
    await waitAt(stage, gate, signal);
  } catch (thrown) {
    note(stage, `${tool} ${gate} aborted`);
    throw thrown;
  }
  note(stage, `${tool} ${gate} ends`);
  return `waited for ${gate}`;
}
