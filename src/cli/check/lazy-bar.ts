import { type Progress, progressBar } from '../shared/progress.ts';

/** A progress bar that begins with its first step. */
export interface LazyBar extends Disposable {
  advance(done: number, total: number, doing: string): void;
}

/** Shows how far a check is; how many steps there are is known with the first of them. */
export function lazyBar(): LazyBar {
  let bar: Progress | undefined;
  return {
    advance(done, total, doing) {
      bar ??= progressBar('checking', total);
      bar.advance(done, doing);
    },
    [Symbol.dispose]: () => bar?.stop(),
  };
}
