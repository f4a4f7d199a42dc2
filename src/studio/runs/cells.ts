import { EPISODE_OUTCOMES } from '../../protocol/index.ts';
import { FAULTS, STOPS } from '../../records/index.ts';
import type { EpisodeLine, PlannedEpisode } from '../../rollouts/index.ts';
import type { TaskCell } from '../api.ts';
import type { PlacedLine } from './line-tail.ts';

// Where each number of an episode is.
const [ATTEMPT, REWARD, OUTCOME, STOP, FAULT, STEPS, TOKENS, MS, AT, BYTES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const WIDTH = 10;

/** The last attempt at each episode of a run, in a plain array of numbers: 100,000 of them take 8 MB. */
export class Cells {
  #numbers = new Float64Array(16 * WIDTH);
  /** Episodes by task and repeat. */
  readonly #episodes = new Map<number, number[]>();
  /** How many episodes have an attempt. */
  played = 0;

  plan({ index, repeat, episode }: PlannedEpisode): void {
    const repeats = this.#episodes.get(index) ?? [];
    repeats[repeat] = episode;
    this.#episodes.set(index, repeats);
  }

  set(line: EpisodeLine, { at, bytes }: PlacedLine): void {
    const { episode, attempt, reward, outcome, stop, fault, steps, tokens, ms } = line;
    this.#reserve(episode);
    const [numbers, start] = [this.#numbers, episode * WIDTH];
    if (numbers[start + ATTEMPT] === 0) this.played += 1;
    numbers[start + ATTEMPT] = attempt;
    numbers[start + REWARD] = reward ?? Number.NaN;
    numbers[start + OUTCOME] = EPISODE_OUTCOMES.indexOf(outcome);
    numbers[start + STOP] = STOPS.indexOf(stop);
    numbers[start + FAULT] = FAULTS.indexOf(fault);
    numbers[start + STEPS] = steps;
    numbers[start + TOKENS] = tokens.input + tokens.output;
    numbers[start + MS] = ms;
    numbers[start + AT] = at;
    numbers[start + BYTES] = bytes;
  }

  /** The episodes of a task, one for each repeat. */
  episodesOf(index: number): readonly number[] {
    return this.#episodes.get(index) ?? [];
  }

  /** Null if nothing was played of it. */
  get(episode: number): TaskCell | null {
    const attempt = this.#number(episode, ATTEMPT);
    if (attempt === 0) return null;
    const reward = this.#number(episode, REWARD);
    return {
      episode,
      attempt,
      reward: Number.isNaN(reward) ? null : reward,
      outcome: EPISODE_OUTCOMES[this.#number(episode, OUTCOME)] ?? 'cancelled',
      stop: STOPS[this.#number(episode, STOP)] ?? 'lost',
      fault: FAULTS[this.#number(episode, FAULT)] ?? 'runner',
      steps: this.#number(episode, STEPS),
      tokens: this.#number(episode, TOKENS),
      ms: this.#number(episode, MS),
    };
  }

  /** Where the line of an episode's last attempt is. */
  placeOf(episode: number): Pick<PlacedLine, 'at' | 'bytes'> | null {
    const bytes = this.#number(episode, BYTES);
    return bytes === 0 ? null : { at: this.#number(episode, AT), bytes };
  }

  #number(episode: number, which: number): number {
    return this.#numbers[episode * WIDTH + which] ?? 0;
  }

  #reserve(episode: number): void {
    const needed = (episode + 1) * WIDTH;
    if (needed <= this.#numbers.length) return;
    const larger = new Float64Array(Math.max(needed, this.#numbers.length * 2));
    larger.set(this.#numbers);
    this.#numbers = larger;
  }
}
