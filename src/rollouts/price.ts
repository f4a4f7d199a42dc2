import { parseModel } from './models/model-name.ts';
import { RunOptionError } from './option-error.ts';
import type { RolloutOptions } from './options.ts';
import type { Price } from './schedule/budget.ts';

/** What the model costs, if that is known; refused where it must be. */
export function priceOf({ budgetUsd, prices = {}, model }: RolloutOptions): Price | undefined {
  const price = model === undefined ? undefined : (prices[model] ?? prices[parseModel(model).name]);
  if (budgetUsd !== undefined && price === undefined)
    throw new RunOptionError(`a budget in dollars needs the price of ${model ?? 'a model'}: add it to the prices`);
  return price;
}
