import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Environment, environment, step, type Toolkit, tool, toolkit } from 'tiltyard';
import { z } from 'zod';

// What the tests of workers serve: code that blocks, crashes and dies.

function loop(): never {
  for (;;);
}

/** An environment whose tools do what no tool should. */
export const rough: Environment = environment({
  name: 'rough',
  task: z.looseObject({ setup: z.enum(['plain', 'loops', 'exits']).default('plain'), trace: z.string().optional() }),
  splits: {
    train: [{ id: 0 }],
    odd: { count: 1, get: () => ({ id: 1, when: { toJSON: () => 'now' }, run() {} }) as never },
  },
  async setup({ task }) {
    if (task.setup === 'loops') loop();
    if (task.setup === 'exits') process.exit(4);
    return { steps: 0 };
  },
  prompt: () => 'Begin.',
  tools: {
    pid: { run: () => String(process.pid) },
    count: {
      run(_input, { state }) {
        state.steps += 1;
        return step(String(state.steps), { reward: 1 });
      },
    },
    loop: { run: () => loop() },
    loop_later: { run: () => sleep(5).then(loop) },
    limited: { timeoutMs: 300, run: () => loop() },
    later: {
      timeoutMs: 300,
      async run() {
        await sleep(5);
        return loop();
      },
    },
    busy: {
      timeoutMs: 60_000,
      input: z.object({ ms: z.number() }),
      run({ ms }) {
        const end = Date.now() + ms;
        while (Date.now() < end);
        return 'done';
      },
    },
    ignore: { timeoutMs: 100, run: () => sleep(60_000, 'late', { ref: false }) },
    wait: { run: (_input, { signal }) => sleep(60_000, 'waited', { signal }) },
    exit: { run: () => process.exit(3) },
    exit_later: { run: () => sleep(5).then(() => process.exit(3)) },
    abort: { run: () => process.abort() },
    exhaust: {
      run() {
        const held: number[][] = [];
        for (;;) held.push(Array.from({ length: 1_000_000 }, (_value, index) => index));
      },
    },
    fill: {
      async run() {
        const held: Buffer[] = [];
        for (;;) {
          held.push(Buffer.alloc(16 * 1024 * 1024, 1));
          await sleep(10);
        }
      },
    },
    babble: {
      run() {
        for (const message of ['x', [], [null], ['x'], [{ kind: 'nonsense' }], [{ kind: 'answer', id: -1 }]])
          process.send?.(message as never);
        return 'said';
      },
    },
    lie: {
      run() {
        process.send?.([{ kind: 'log', level: 'none' }]);
        return sleep(60_000, 'waited', { ref: false });
      },
    },
    say: {
      run(_input, { log }) {
        log.warn('said', { where: 'worker' });
        setTimeout(() => {
          throw new Error('nobody catches this');
        });
        return 'said';
      },
    },
  },
  teardown({ task }) {
    if (task.trace !== undefined) appendFileSync(task.trace, 'teardown\n');
  },
});

/** A toolkit of the same kind. */
export const kit: Toolkit = toolkit({
  name: 'Rough',
  tools: {
    Pid: tool({ description: 'Tells where it runs.', run: () => process.pid }),
    Loop: tool({ description: 'Never ends.', timeoutMs: 300, run: () => loop() }),
    Endless: tool({ description: 'Never ends, and has no limit.', run: () => loop() }),
    Exit: tool({ description: 'Ends its process.', run: () => process.exit(3) }),
    Wait: tool({
      description: 'Waits until it is aborted.',
      run: (_input, { signal }) => sleep(60_000, 1, { signal }),
    }),
  },
});
