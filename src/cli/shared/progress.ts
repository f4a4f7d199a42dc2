import { Presets, SingleBar } from 'cli-progress';

/** Shows how far a long operation is; on standard error, and only where somebody watches. */
export interface Progress extends Disposable {
  /** How much of the total is done, and what is being done now. */
  advance(done: number, doing?: string): void;
  /** Takes the bar away. */
  stop(): void;
}

/** A progress bar of so many steps. */
export function progressBar(what: string, total: number): Progress {
  const bar = new SingleBar(
    {
      format: `${what} {bar} {percentage}%  {doing}`,
      stream: process.stderr,
      clearOnComplete: true,
      hideCursor: true,
      noTTYOutput: false,
      // Signals are the command's: it stops the bar on its way out.
      gracefulExit: false,
    },
    Presets.shades_classic,
  );
  bar.start(total, 0, { doing: '' });
  let stopped = false;
  const stop = () => {
    process.off('exit', stop);
    if (!stopped) bar.stop();
    stopped = true;
  };
  // Whatever ends the process, the terminal gets its cursor back.
  process.on('exit', stop);
  return {
    advance: (done, doing = '') => void (stopped || bar.update(done, { doing })),
    stop,
    [Symbol.dispose]: stop,
  };
}
