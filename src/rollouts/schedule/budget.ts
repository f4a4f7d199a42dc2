import type { TokenUsage } from '../../records/index.ts';

/** What a whole run may spend, earlier sessions of the same run included. */
export interface BudgetLimits {
  readonly tokens?: number | undefined;
  readonly usd?: number | undefined;
}

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** For input from the provider's cache. Default: as all input. */
  readonly cached?: number | undefined;
}

/** What there can be a budget of. */
export type BudgetKind = 'tokens' | 'usd' | 'time';

/** What was spent so far. */
export interface Spent {
  input: number;
  output: number;
  usd: number;
}

/** Adds up what models cost, and says when it is enough. */
export class Budget {
  readonly #limits: BudgetLimits;
  readonly #price: Price | undefined;
  readonly spent: Spent;

  constructor(limits: BudgetLimits, price: Price | undefined, before: Spent) {
    this.#limits = limits;
    this.#price = price;
    this.spent = { ...before };
  }

  /** Adds an answer; returns what it cost. */
  add(usage: TokenUsage): number {
    const usd = costOf(usage, this.#price);
    this.spent.input += usage.input;
    this.spent.output += usage.output;
    this.spent.usd += usd;
    return usd;
  }

  /** Which limit is reached, in words; undefined while there is something left. */
  get exhausted(): { readonly detail: string; readonly budget: BudgetKind } | undefined {
    const { tokens, usd } = this.#limits;
    const { input, output, usd: paid } = this.spent;
    if (tokens !== undefined && input + output >= tokens)
      return { detail: `the budget of ${tokens} tokens is spent`, budget: 'tokens' };
    if (usd !== undefined && paid >= usd) return { detail: `the budget of $${usd} is spent`, budget: 'usd' };
    return undefined;
  }
}

function costOf({ input, output, cached = 0 }: TokenUsage, price: Price | undefined): number {
  if (price === undefined) return 0;
  const read = (price.cached ?? price.input) * cached + price.input * (input - cached);
  return (read + price.output * output) / 1_000_000;
}
