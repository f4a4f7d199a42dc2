import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'tiltyard/client';
import type { HonestResult } from './prove.ts';
import { HONEST_KEY } from './sides.ts';

/** Plays one episode after the other with our own client. */
export async function playHere(url: string, isOver: () => boolean): Promise<HonestResult> {
  const failures: string[] = [];
  let episodes = 0;
  const sums = connect(url, { apiKey: HONEST_KEY }).environment('sums');
  while (!isOver()) {
    try {
      await using session = await sums.session({ split: 'train', index: 0 });
      const { reward } = await session.call('submit', { answer: 42 });
      if (reward === 1) episodes += 1;
      else failures.push(`a reward of ${reward}`);
    } catch (thrown) {
      failures.push(String(thrown));
    }
    await pause(20);
  }
  return { episodes, failures };
}
