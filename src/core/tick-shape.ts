import { executionAsyncResource } from 'node:async_hooks';

let kept: object | undefined;

/**
 * Keeps one of the objects that `process.nextTick()` makes, for as long as the process lives. V8 forgets what they look like if it collects
 * garbage while there is none, and makes them the slow way ever after: a tenth of the time of a server that has idled once.
 */
export function keepTickShape(): void {
  if (kept !== undefined) return;
  process.nextTick(() => {
    // Within a tick, this is the object that stands for it.
    kept = executionAsyncResource();
  });
}

/** What is kept. */
export function keptTick(): object | undefined {
  return kept;
}
