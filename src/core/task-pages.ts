import { TiltyardError } from './errors.ts';
import { slice, type TaskSource } from './tasks.ts';

/** The same tasks, at most so many at a time: an answer with all of a huge split would stall the server. */
export function inPages(name: string, source: TaskSource, maxPerPage: number): TaskSource {
  return {
    ...source,
    async range(start, stop) {
      const [from, to] = slice(start, stop, await source.count());
      if (to - from <= maxPerPage) return source.range(start, stop);
      throw new TiltyardError(
        'too_many_tasks',
        `this range of split '${name}' has ${to - from} tasks; a response holds at most ${maxPerPage}. ` +
          `Request pages: start ${from}, stop ${from + maxPerPage}; then start ${from + maxPerPage}, and so on`,
      );
    },
    async list() {
      // First, because a split that cannot be listed at all has its own words for it.
      const tasks = await source.list();
      if (tasks.length <= maxPerPage) return tasks;
      throw new TiltyardError(
        'not_listable',
        `split '${name}' has ${tasks.length} tasks; a response holds at most ${maxPerPage}: ` +
          'use the index-based API (num_tasks, task, task_range)',
      );
    },
  };
}
