import type { TokenUsage } from '../../records/index.ts';
import type { TokenCounts } from '../folder/episode-line.ts';
import { Halt } from '../outcome/halt.ts';
import type { Budget } from '../schedule/budget.ts';
import type { EpisodeLimits } from './limits.ts';

/** Counts the turns and tokens of one attempt, and ends it at its limits. A turn is a request to the model; without a model, a call. */
export class Turns {
  readonly #limits: EpisodeLimits;
  readonly #budget: Budget;
  #turns = 0;
  #input = 0;
  #output = 0;
  #isEstimated = false;
  usd = 0;
  /** Why the model's server lets the attempt wait, if it does: that is not the agent's time. */
  heldUp: string | undefined;

  constructor(limits: EpisodeLimits, budget: Budget) {
    this.#limits = limits;
    this.#budget = budget;
  }

  get tokens(): TokenCounts {
    return { input: this.#input, output: this.#output, ...(this.#isEstimated ? { estimated: true } : {}) };
  }

  /** A request to the model: returns how many tokens its answer may have. */
  take(): number | undefined {
    const spent = this.#budget.exhausted;
    if (spent !== undefined) throw new Halt('budget', spent.detail);
    this.#count();
    const { maxTokens } = this.#limits;
    if (maxTokens === undefined) return undefined;
    const left = maxTokens - this.#output;
    if (left <= 0) throw new Halt('max_tokens', `the model has used its ${maxTokens} tokens`);
    return left;
  }

  /** A call of a tool: a turn only if there is no model whose requests are counted. */
  takeCall(model: unknown): void {
    if (model === undefined) this.#count();
  }

  spend(usage: TokenUsage): void {
    this.#input += usage.input;
    this.#output += usage.output;
    this.#isEstimated ||= usage.estimated === true;
    this.usd += this.#budget.add(usage);
  }

  #count(): void {
    const { maxTurns } = this.#limits;
    if (this.#turns >= maxTurns) throw new Halt('max_turns', `the episode was not finished after ${maxTurns} turns`);
    this.#turns += 1;
  }
}
