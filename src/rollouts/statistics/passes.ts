/** How many valid episodes a task has, and how many of them passed. */
export interface Passes {
  readonly valid: number;
  readonly passed: number;
}

/** A chance of passing over tasks, and how many tasks had too few episodes to say. */
export interface PassRate {
  readonly k: number;
  readonly value: number | null;
  readonly tasks: number;
  readonly leftOut: number;
}

/** pass@k: the chance that at least one of k episodes of a task passes. */
export function passAt(tasks: readonly Passes[], k: number): PassRate {
  return overTasks(tasks, k, ({ valid, passed }) => 1 - drawnFrom(valid - passed, valid, k));
}

/** pass^k: the chance that all of k episodes of a task pass. */
export function passAll(tasks: readonly Passes[], k: number): PassRate {
  return overTasks(tasks, k, ({ valid, passed }) => drawnFrom(passed, valid, k));
}

function overTasks(tasks: readonly Passes[], k: number, rate: (task: Passes) => number): PassRate {
  const enough = tasks.filter(({ valid }) => valid >= k);
  const sum = enough.reduce((total, task) => total + rate(task), 0);
  const value = enough.length === 0 ? null : sum / enough.length;
  return { k, value, tasks: enough.length, leftOut: tasks.length - enough.length };
}

/** C(some, k) / C(all, k), as a product: the numbers themselves would not fit. */
function drawnFrom(some: number, all: number, k: number): number {
  let share = 1;
  for (let draw = 0; draw < k; draw += 1) share *= Math.max(0, some - draw) / (all - draw);
  return share;
}
