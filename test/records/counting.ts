import { type Environment, environment, step } from 'tiltyard';

// A module of its own, without anything of a test: servers in other processes load it.

/** An environment that counts, and whose episodes survive their process. */
export const counting: Environment = countingAs('counting', 'replay');

/** The same, but nothing of its episodes is kept. */
export const plain: Environment = countingAs('plain', 'none');

function countingAs(name: string, durability: 'replay' | 'none'): Environment {
  return environment({
    name,
    durability,
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
      stop: { run: () => step('done', { finished: true }) },
    },
  });
}
