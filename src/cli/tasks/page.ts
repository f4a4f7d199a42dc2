import { AuthError, ClientError, type EnvironmentClient, HttpError } from '../../client/index.ts';

/** Which tasks are wanted. */
export interface PageRequest {
  readonly split: string;
  readonly from: number;
  readonly count: number;
  readonly signal: AbortSignal;
}

/** Some tasks of a split, and how many it has, where the server says. */
export interface Page {
  readonly tasks: readonly unknown[];
  readonly total: number | undefined;
}

/** Reads a page of tasks by whatever the server has for it: ranges, the whole list, or one task at a time. */
export async function readPage(environment: EnvironmentClient, request: PageRequest): Promise<Page> {
  const { split, from, count, signal } = request;
  const total = await countOf(environment, split, signal);
  const stop = Math.min(from + count, total ?? Number.POSITIVE_INFINITY);
  if (from >= stop) return { tasks: [], total };
  const tasks =
    (await unlessRefused(environment.range(split, from, stop, { signal }))) ??
    (await unlessRefused(environment.tasks(split, { signal }).then((all) => all.slice(from, stop)))) ??
    (await readOneByOne(environment, { ...request, count: stop - from }));
  return { tasks, total };
}

/** How many tasks a split has, or undefined from a server that cannot say. */
export async function countOf(
  environment: EnvironmentClient,
  split: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  return unlessRefused(environment.count(split, { signal }));
}

/** A number of tasks in words. */
export function toTaskCount(count: number): string {
  return count === 1 ? '1 task' : `${count.toLocaleString('en')} tasks`;
}

async function readOneByOne(
  environment: EnvironmentClient,
  { split, from, count, signal }: PageRequest,
): Promise<unknown[]> {
  const tasks = [await environment.task(split, from, { signal })];
  while (tasks.length < count) {
    // Where nobody knows the total, the first refusal is the end.
    const task = await unlessRefused(environment.task(split, from + tasks.length, { signal }));
    if (task === undefined) break;
    tasks.push(task);
  }
  return tasks;
}

/** What was asked for, or undefined if the server cannot do that; other failures stay failures. */
async function unlessRefused<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  try {
    return await answer;
  } catch (thrown) {
    if (thrown instanceof HttpError && !(thrown instanceof AuthError)) return undefined;
    // An answer that makes no sense is none.
    if (thrown instanceof ClientError && thrown.name === 'ClientError') return undefined;
    throw thrown;
  }
}
