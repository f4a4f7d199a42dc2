import { setTimeout as sleep } from 'node:timers/promises';
import { type Environment, environment, step } from 'tiltyard';

/** An environment whose episodes are built again, and whose tools end and block their process. */
export const steady: Environment = environment({
  name: 'steady',
  durability: 'replay',
  splits: { train: [{}] },
  setup: () => ({ steps: 0 }),
  prompt: () => 'Begin.',
  tools: {
    // What it tells is not the same in another process, so it must not be repeated.
    pid: { effects: 'external', run: () => String(process.pid) },
    count: {
      run(_input, { state }) {
        state.steps += 1;
        return step(String(state.steps), { reward: 1 });
      },
    },
    loop: {
      timeoutMs: 300,
      run(): string {
        for (;;);
      },
    },
    exit: { run: () => process.exit(3) },
    // Nobody can tell who did it: a native crash leaves no time for last words.
    abort_later: { run: () => sleep(50).then(() => process.abort()) },
    wait: { run: () => sleep(2_000, 'waited') },
    exit_once: { run: (_input, { attempt }) => (attempt === 1 ? process.exit(3) : `alive in attempt ${attempt}`) },
  },
});
