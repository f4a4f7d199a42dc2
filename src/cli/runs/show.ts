import { readReportData } from '../../rollouts/index.ts';
import { toSummaryLines } from '../shared/runs/summary-text.ts';
import { processTerminal } from '../shared/terminal.ts';
import { refusing } from './refusals.ts';

/** Prints what came of runs, one after the other. */
export async function show(folders: readonly string[], { json = false }: { readonly json?: boolean }): Promise<void> {
  const terminal = processTerminal();
  for (const [at, folder] of folders.entries()) {
    const data = await refusing(() => readReportData(folder));
    if (json) {
      terminal.printJson({ folder, ...data.summary });
      continue;
    }
    if (at > 0) terminal.print();
    for (const line of toSummaryLines(data, terminal)) terminal.print(line);
  }
}
