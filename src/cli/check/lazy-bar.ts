import { type Progress, progressBar } from '../shared/progress.ts';
import { toSafeText } from '../shared/safe-text.ts';

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
      // The names in it are the server's.
      bar.advance(done, toSafeText(doing));
    },
    [Symbol.dispose]: () => bar?.stop(),
  };
}
