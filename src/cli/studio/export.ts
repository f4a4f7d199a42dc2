import { join } from 'node:path';
import { exportSite, SiteError } from '../../studio/index.ts';
import { misuse } from '../shared/failure.ts';
import { onInterrupt } from '../shared/interruption.ts';
import { type Progress, progressBar } from '../shared/progress.ts';
import { formatCount } from '../shared/report/format.ts';
import { processTerminal } from '../shared/terminal.ts';

/** The options of `tiltyard studio export`. */
export interface ExportSiteOptions {
  readonly out: string;
  readonly json?: boolean;
}

/** Writes runs as a static site, showing how far that is. */
export async function exportTo(runs: readonly string[], { out, json = false }: ExportSiteOptions): Promise<void> {
  const terminal = processTerminal();
  using interruption = onInterrupt();
  let bar: Progress | undefined;
  try {
    const site = await exportSite({
      runs,
      out,
      signal: interruption.signal,
      onProgress(done, total) {
        bar ??= progressBar('exporting', total);
        bar.advance(done);
      },
    });
    bar?.stop();
    if (json) terminal.printJson(site);
    else terminal.print(`${describe(site)}. Open ${join(out, 'index.html')}`);
  } catch (thrown) {
    throw thrown instanceof SiteError ? misuse(thrown.message) : thrown;
  } finally {
    bar?.stop();
  }
}

function describe({ episodes, runs }: { readonly episodes: number; readonly runs: number }): string {
  return `Wrote ${formatCount(episodes, 'episode')} of ${formatCount(runs, 'run')}`;
}
