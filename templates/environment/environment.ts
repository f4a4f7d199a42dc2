import { environment, step } from 'tiltyard';
import { z } from 'zod';

const MAX_GUESSES = 7;

/** A game to begin with: the agent guesses a number, and is told whether it is higher or lower. */
export const templateNameEnvironment = environment({
  name: 'template-name',
  // What a task holds. The agent sees of it only what the prompt and the tools tell.
  task: z.object({ number: z.int().min(1).max(100) }),
  splits: {
    train: [{ number: 42 }, { number: 7 }, { number: 99 }],
    test: [{ number: 64 }],
  },
  // Same task, same calls, same results: so the server may rebuild an episode after a crash.
  durability: 'replay',
  // The state of one episode; tools may change it.
  setup: () => ({ guesses: 0 }),
  prompt: () => `Guess my number. It is between 1 and 100, and you have ${MAX_GUESSES} guesses.`,
  tools: {
    guess: {
      description: 'Guess the number. You are told whether it is higher or lower.',
      input: z.object({ number: z.int().min(1).max(100) }),
      run({ number }, { task, state }) {
        state.guesses += 1;
        if (number === task.number) return step('That is it!', { reward: 1, finished: true });
        const hint = number < task.number ? 'It is higher.' : 'It is lower.';
        const isLast = state.guesses === MAX_GUESSES;
        return step(isLast ? `No. It was ${task.number}.` : hint, { reward: 0, finished: isLast });
      },
    },
  },
});
