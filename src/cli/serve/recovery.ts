import type { JournalOption } from '../../server/index.ts';
import { type Progress, progressBar } from '../shared/progress.ts';
import { onSignals } from '../shared/signals.ts';

// Where nobody watches a bar, a line now and then is enough.
const LINE_MS = 2_000;

/** Shows how a server takes over what an earlier one has left: as a bar on a terminal, and elsewhere as lines. */
export function recoveryDisplay(folder: string): NonNullable<JournalOption['recovery']> {
  const { stderr } = process;
  let bar: Progress | undefined;
  let lineAt = performance.now();
  return {
    progress(done, all) {
      if (stderr.isTTY) {
        bar ??= startBar(all);
        bar.advance(done);
        return;
      }
      if (performance.now() - lineAt < LINE_MS) return;
      lineAt = performance.now();
      stderr.write(`Reading the journal: ${done} of ${all}\n`);
    },
    ended(recovered, ms) {
      bar?.stop();
      const { dormant, lost } = recovered ?? { dormant: 0, lost: 0 };
      if (dormant + lost === 0) return;
      const toSessions = (count: number) => `${count} ${count === 1 ? 'session' : 'sessions'}`;
      const losses = lost === 0 ? '' : `; ${toSessions(lost)} could not be kept`;
      stderr.write(`Recovered ${toSessions(dormant)} from ${folder} in ${(ms / 1000).toFixed(1)} s${losses}.\n`);
    },
  };
}

/** A bar that is taken away before a signal ends the process: nobody else listens for signals so early. */
function startBar(all: number): Progress {
  const bar = progressBar('Reading the journal', all);
  const signals = onSignals({
    first(signal) {
      stop();
      process.kill(process.pid, signal);
    },
    again() {},
  });
  const stop = () => {
    signals[Symbol.dispose]();
    bar.stop();
  };
  return { advance: bar.advance, stop, [Symbol.dispose]: stop };
}
