import type { Agent } from 'tiltyard/rollouts';

/**
 * An agent of your own: reads the hint if there is one, works out a sum from the numbers in the question, and submits it. It solves few
 * problems; what matters is how little an agent needs.
 */
export const agent: Agent = async ({ text, tools, call, random, note }) => {
  const hasHint = tools.some(({ name }) => name === 'hint');
  const hint = hasHint ? (await call('hint')).text : '';
  const numbers = [...text.matchAll(/\d+(?:\.\d+)?/g)].map(([number]) => Number(number));
  const guess = guessFrom(numbers, random);
  note('how I came to my answer', { hint, numbers, guess });
  const { isError } = await call('submit', { answer: String(guess) });
  // A tool that refuses a call says why in its text, and the episode goes on.
  if (isError) await call('submit', { answer: '0' });
};

function guessFrom(numbers: readonly number[], random: () => number): number {
  const sum = numbers.reduce((total, number) => total + number, 0);
  const product = numbers.reduce((total, number) => total * number, 1);
  // From the seed of the run: the same run gives the same guesses.
  return random() < 0.5 ? sum : product;
}
