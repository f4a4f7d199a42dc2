import type { RewardSummary } from './events.ts';

/** What an `end` event tells of the events before it. */
export class Tally {
  calls = 0;
  #count = 0;
  #sum: number | null = null;
  #last: number | null = null;
  #min: number | null = null;
  #max: number | null = null;

  /** Counts what a call has paid, if it has. */
  pay(reward: number | null): void {
    if (reward === null) return;
    this.#count += 1;
    this.#sum = (this.#sum ?? 0) + reward;
    this.#last = reward;
    this.#min = Math.min(this.#min ?? reward, reward);
    this.#max = Math.max(this.#max ?? reward, reward);
  }

  /** Counts any event. */
  add(event: { readonly type: string; readonly reward?: unknown }): void {
    if (event.type === 'call') this.calls += 1;
    else if (event.type === 'result' && typeof event.reward === 'number') this.pay(event.reward);
  }

  get rewards(): RewardSummary {
    return { count: this.#count, sum: this.#sum, last: this.#last, min: this.#min, max: this.#max };
  }
}
