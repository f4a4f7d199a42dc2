import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ReportData, RUN_FILES, readReportData } from '../../rollouts/index.ts';
import { Failure, misuse } from '../shared/failure.ts';
import { toSummaryLines } from '../shared/runs/summary-text.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { processTerminal, type Terminal } from '../shared/terminal.ts';
import { refusing } from './refusals.ts';

/** Prints what came of runs, one after the other. */
export async function show(named: readonly string[], { json = false }: { readonly json?: boolean }): Promise<void> {
  const terminal = processTerminal();
  const folders = named.flatMap(toRuns);
  // One that is damaged must not hide the others.
  const read = (folder: string) => (folders.length === 1 ? readRun(folder) : readOrNote(folder, terminal));
  let shown = 0;
  for (const folder of folders) {
    const data = await read(folder);
    if (data === undefined) continue;
    shown += 1;
    const { tags } = data.state.run;
    if (json) {
      terminal.printJson({ folder, tags, ...data.summary });
      continue;
    }
    if (shown > 1) terminal.print();
    terminal.print(toHeading(folder, tags));
    for (const line of toSummaryLines(data, terminal)) terminal.print(line);
  }
  const damaged = folders.length - shown;
  if (damaged > 0) throw new Failure(`${damaged} of ${folders.length} runs cannot be read`);
}

function readRun(folder: string): Promise<ReportData> {
  return refusing(() => readReportData(folder));
}

async function readOrNote(folder: string, terminal: Terminal): Promise<ReportData | undefined> {
  try {
    return await readReportData(folder);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    terminal.note(toSafeText(`${folder} cannot be read: ${why}`));
    return undefined;
  }
}

/** The run in a folder, or the runs in the folders in it, by name. */
function toRuns(folder: string): string[] {
  const isRun = (path: string) => existsSync(join(path, RUN_FILES.run));
  if (isRun(folder)) return [folder];
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) throw misuse(`${folder} does not exist. Name the folder of a run, or one with runs in it`);
  const inside = (found.isDirectory() ? readdirSync(folder) : []).map((name) => join(folder, name)).filter(isRun);
  if (inside.length > 0) return inside.sort();
  throw misuse(`${folder} is not the folder of a run (it has no ${RUN_FILES.run}), and has no runs in it`);
}

function toHeading(folder: string, tags: Readonly<Record<string, string>>): string {
  const labels = Object.entries(tags).map(([name, value]) => `${name}=${value}`);
  return toSafeText(labels.length === 0 ? folder : `${folder}  ${labels.join(' ')}`);
}
