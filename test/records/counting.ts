import { type Environment, environment, step } from 'tiltyard';

// A module of its own, without anything of a test: servers in other processes load it.

/** An environment that counts, and whose episodes survive their process. */
export const counting: Environment = environment({
  name: 'counting',
  durability: 'replay',
  splits: { train: [{ id: 0 }] },
  setup: () => ({ count: 0 }),
  prompt: () => 'Count.',
  tools: {
    add: {
      run(_input, { state }) {
        state.count += 1;
        return step(String(state.count), { reward: 1 });
      },
    },
  },
});
