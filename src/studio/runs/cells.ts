import { EPISODE_OUTCOMES } from '../../protocol/index.ts';
import { FAULTS, STOPS } from '../../records/index.ts';
import type { EpisodeLine, PlannedEpisode } from '../../rollouts/index.ts';
import type { TaskCell } from '../api.ts';
import type { PlacedLine } from './line-tail.ts';

// Numbers of one episode, in this order.
const FIELDS = ['attempt', 'reward', 'outcome', 'stop', 'fault', 'steps', 'tokens', 'ms', 'at', 'bytes'] as const;
const WIDTH = FIELDS.length;

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
    const values = [
      attempt,
      reward ?? Number.NaN,
      EPISODE_OUTCOMES.indexOf(outcome),
      STOPS.indexOf(stop),
      FAULTS.indexOf(fault),
      steps,
      tokens.input + tokens.output,
      ms,
      at,
      bytes,
    ];
    if (this.#numbers[episode * WIDTH] === 0) this.played += 1;
    this.#numbers.set(values, episode * WIDTH);
  }

  /** The episodes of a task, one for each repeat. */
  episodesOf(index: number): readonly number[] {
    return this.#episodes.get(index) ?? [];
  }

  /** Null if nothing was played of it. */
  get(episode: number): TaskCell | null {
    const start = episode * WIDTH;
    const [attempt = 0, reward = 0, outcome = 0, stop = 0, fault = 0, steps = 0, tokens = 0, ms = 0] =
      this.#numbers.subarray(start, start + WIDTH);
    if (attempt === 0) return null;
    return {
      episode,
      attempt,
      reward: Number.isNaN(reward) ? null : reward,
      outcome: EPISODE_OUTCOMES[outcome] ?? 'cancelled',
      stop: STOPS[stop] ?? 'lost',
      fault: FAULTS[fault] ?? 'runner',
      steps,
      tokens,
      ms,
    };
  }

  /** Where the line of an episode's last attempt is. */
  placeOf(episode: number): Pick<PlacedLine, 'at' | 'bytes'> | null {
    const start = episode * WIDTH;
    const [at = 0, bytes = 0] = this.#numbers.subarray(start + FIELDS.indexOf('at'), start + WIDTH);
    return bytes === 0 ? null : { at, bytes };
  }

  #reserve(episode: number): void {
    const needed = (episode + 1) * WIDTH;
    if (needed <= this.#numbers.length) return;
    const larger = new Float64Array(Math.max(needed, this.#numbers.length * 2));
    larger.set(this.#numbers);
    this.#numbers = larger;
  }
}
