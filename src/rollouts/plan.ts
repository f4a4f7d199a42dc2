import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { EnvironmentClient } from '../client/index.ts';
import { redactWhole, type Secrets } from '../core/index.ts';
import type { JsonObject } from '../protocol/index.ts';
import { taskHashOf } from '../records/index.ts';
import { readLines } from './folder/line-file.ts';
import type { PlannedEpisode } from './folder/plan-file.ts';
import type { Selection } from './folder/run-file.ts';
import { RUN_FILES, type RunFolder } from './folder/run-folder.ts';
import { RunOptionError } from './option-error.ts';

/** What is to be planned. */
export interface PlanRequest {
  readonly environment: EnvironmentClient;
  readonly split: string;
  readonly selection: Selection;
  /** A field of the task that says what the task belongs with. */
  readonly cluster: string | null;
  /** What must be in no file. */
  readonly hidden: Secrets;
  readonly signal: AbortSignal;
}

/** What came of planning. */
export interface Plan {
  readonly tasks: { readonly count: number; readonly hash: string };
  readonly episodes: number;
}

/** Writes down which episodes there are to play. What was planned before stays; a task that has changed is new work. */
export async function plan(folder: RunFolder, tasks: readonly PlannedTask[], request: PlanRequest): Promise<Plan> {
  const known = await readKnown(folder.path);
  const { split, selection } = request;
  let { next } = known;
  // All tasks once before any of them twice: a run that ends early has seen as many tasks as it could.
  for (let repeat = 0; repeat < selection.k; repeat += 1) {
    for (const { index, taskHash, cluster } of tasks) {
      const before = known.tasks.get(index);
      if (before?.taskHash === taskHash && repeat < before.repeats) continue;
      folder.addPlanned({
        episode: next,
        split,
        index,
        repeat,
        taskHash,
        ...(cluster === undefined ? {} : { cluster }),
      });
      next += 1;
    }
  }
  folder.endPlan();
  const hash = createHash('sha256');
  for (const { index, taskHash } of tasks) hash.update(`${index} ${taskHash}\n`);
  return { tasks: { count: tasks.length, hash: hash.digest('hex') }, episodes: tasks.length * selection.k };
}

/** What was planned of a task since it is what it is. */
interface KnownTask {
  readonly taskHash: string | null;
  readonly repeats: number;
}

async function readKnown(folder: string): Promise<{ readonly tasks: Map<number, KnownTask>; readonly next: number }> {
  const tasks = new Map<number, KnownTask>();
  let next = 0;
  for await (const { episode, index, repeat, taskHash } of readLines<PlannedEpisode>(join(folder, RUN_FILES.plan))) {
    tasks.set(index, { taskHash, repeats: repeat + 1 });
    next = episode + 1;
  }
  return { tasks, next };
}

/** A task that is to be played. */
export interface PlannedTask {
  readonly index: number;
  readonly taskHash: string | null;
  readonly cluster?: string;
}

/** Reads the tasks that are to be played; refused if they are not as was asked for. */
export async function readTasks(request: PlanRequest): Promise<PlannedTask[]> {
  const { environment, split, selection, signal } = request;
  const { indices, from, n } = selection;
  const count = await environment.count(split, { signal });
  const wanted = indices ?? [from];
  const odd = wanted.find((index) => index >= count);
  if (odd !== undefined) throw new RunOptionError(`there is no task ${odd} in split '${split}' (it has ${count})`);
  if (indices !== null)
    return inBatches(indices, async (index) =>
      toPlanned(index, await environment.task(split, index, { signal }), request),
    );
  const tasks: PlannedTask[] = [];
  let index = from;
  const stop = n === null ? count : Math.min(count, from + n);
  for await (const task of environment.walk(split, { start: from, stop, signal })) {
    tasks.push(toPlanned(index, task as JsonObject, request));
    index += 1;
  }
  return tasks;
}

function toPlanned(index: number, task: unknown, { cluster, hidden }: PlanRequest): PlannedTask {
  const value = cluster === null ? undefined : (task as JsonObject)[cluster];
  if (cluster !== null && value === undefined)
    throw new RunOptionError(`task ${index} has no field '${cluster}' to cluster by`);
  return {
    index,
    taskHash: taskHashOf(task as JsonObject),
    ...(value === undefined
      ? {}
      : { cluster: redactWhole(typeof value === 'string' ? value : JSON.stringify(value), hidden) }),
  };
}

const BATCH = 16;

async function inBatches<Each, Result>(
  items: readonly Each[],
  work: (item: Each) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += BATCH)
    results.push(...(await Promise.all(items.slice(at, at + BATCH).map(work))));
  return results;
}
