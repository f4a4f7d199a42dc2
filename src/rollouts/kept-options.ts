import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { KeptOptions } from './folder/run-file.ts';
import { RUN_FILES, readRunFile } from './folder/run-folder.ts';
import { assertSameRun } from './identity.ts';
import type { RolloutOptions } from './options.ts';
import { priceOf } from './price.ts';

/** The options, and where they say nothing those that a resumed run was last played with: a limit must not get lost on the way. */
export function withKept(options: RolloutOptions): RolloutOptions {
  const { out, resume } = options;
  if (resume !== true || !existsSync(join(out, RUN_FILES.run))) return options;
  // Runs of earlier versions have none.
  const { kept = {}, identity } = readRunFile(out);
  // Before the price of another model is missed, which would not be the reason.
  assertSameRun(out, identity, { model: options.model ?? null });
  return { ...options, ...kept, ...toGiven(pick(options)) };
}

/** What of the options is kept with the run. */
export function toKept(options: RolloutOptions): KeptOptions {
  const { model } = options;
  const price = priceOf(options);
  const prices = model === undefined || price === undefined ? undefined : { [model]: price };
  const given = Object.entries(toGiven({ ...pick(options), prices }));
  // In a file there is no Infinity, which as a budget is none.
  return Object.fromEntries(given.filter(([, value]) => value !== Number.POSITIVE_INFINITY));
}

function pick(options: RolloutOptions): { readonly [Name in keyof KeptOptions]: RolloutOptions[Name] } {
  const { concurrency, retries, budgetTokens, budgetUsd, budgetMs, prices } = options;
  return { concurrency, retries, budgetTokens, budgetUsd, budgetMs, prices };
}

function toGiven(options: { readonly [Name in keyof KeptOptions]: RolloutOptions[Name] }): KeptOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
