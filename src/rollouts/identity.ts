import { isDeepStrictEqual } from 'node:util';
import type { RunFile, RunIdentity, Selection } from './folder/run-file.ts';
import { RunFolderError } from './folder/run-folder.ts';
import type { RolloutOptions } from './options.ts';

/** What a run is, from its options. */
export function toIdentity(
  options: RolloutOptions,
  { environment, split, agent }: Pick<RunIdentity, 'environment' | 'split' | 'agent'>,
): RunIdentity {
  const { model = null, parameters = {}, system = null, seed = 0, cluster = null } = options;
  const { maxTurns = 50, maxTokens, timeoutMs, reward = 'sum', unfinished = 'zero' } = options;
  const limits = {
    maxTurns,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    // In a file there is no Infinity.
    ...(timeoutMs === undefined || timeoutMs === Number.POSITIVE_INFINITY ? {} : { timeoutMs }),
  };
  const scoring = { reward, unfinished };
  return { environment, split, agent, model, parameters, system, seed, limits, scoring, cluster };
}

/** Which tasks are played, from its options. */
export function toSelection({ indices = undefined, from = 0, n = undefined, k = 1 }: RolloutOptions): Selection {
  return { indices: indices === undefined ? null : [...new Set(indices)], from, n: n ?? null, k };
}

/** Refuses to go on with a run as something that it is not: its episodes would be counted together. */
export function assertSameRun(folder: string, before: RunIdentity, now: Partial<RunIdentity>): void {
  for (const key of Object.keys(now) as (keyof RunIdentity)[]) {
    if (isDeepStrictEqual(before[key], now[key])) continue;
    const [was, is] = [before[key], now[key]].map((value) => JSON.stringify(value));
    throw new RunFolderError(
      `${folder} is a run with ${key} ${was}, not ${is}. Resume it with the same ${key}, or choose another folder`,
    );
  }
}

/** What was asked for before and what is asked for now, together: tasks and repeats may be added. */
export function widen(folder: string, { selection: before }: RunFile, now: Selection): Selection {
  if (before.indices !== null || now.indices !== null) {
    const [earlier, wanted] = [before.indices, now.indices];
    if (earlier === null || wanted === null)
      throw new RunFolderError(
        `${folder} is a run of ${earlier === null ? 'a range of tasks' : 'listed tasks'}. Resume it the same way`,
      );
    return { ...now, indices: [...new Set([...earlier, ...wanted])], k: Math.max(before.k, now.k) };
  }
  if (before.from !== now.from)
    throw new RunFolderError(`${folder} is a run from task ${before.from}, not ${now.from}`);
  const n = before.n === null || now.n === null ? null : Math.max(before.n, now.n);
  return { ...now, n, k: Math.max(before.k, now.k) };
}
