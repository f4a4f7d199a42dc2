import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EpisodeLine } from '../folder/episode-line.ts';
import { readLines } from '../folder/line-file.ts';
import { RUN_FILES } from '../folder/run-folder.ts';
import { RunOptionError } from '../option-error.ts';
import { RunState } from '../run-state.ts';
import { summarize } from '../summary.ts';
import { writeAtif } from './atif.ts';
import { type ChatDialect, toChatLine } from './chat.ts';
import { INSPECT_TAIL, inspectHead, toInspectSample } from './inspect.ts';
import { ParquetFile, ParquetMissing } from './parquet.ts';
import { readTrajectory, type Trajectory } from './trajectory.ts';

/** The formats that a run can be exported to. */
export const EXPORT_FORMATS = ['atif', 'openai', 'huggingface', 'inspect', 'parquet'] as const;

/** A format that a run can be exported to. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** What is exported, and where to. */
export interface ExportOptions {
  readonly format: ExportFormat;
  /** A file; for ATIF, a folder. It must not exist. */
  readonly out: string;
  /** Leaves out episodes with less. */
  readonly minReward?: number | undefined;
}

/** Writes the episodes of a run that count in a format of others, one at a time; returns how many. */
export async function exportRun(folder: string, { format, out, minReward }: ExportOptions): Promise<number> {
  if (existsSync(out)) throw new RunOptionError(`${out} exists. Choose another name`);
  const state = await RunState.read(folder);
  const sink = await openSink(format, out, { folder, state });
  try {
    let count = 0;
    for await (const line of counted(folder, state, minReward)) {
      await sink.add(await readTrajectory(folder, line), count);
      count += 1;
    }
    await sink.close();
    return count;
  } catch (thrown) {
    // Half an export looks like a whole one, and would stand in the way of the next.
    rmSync(out, { recursive: true, force: true });
    throw thrown;
  }
}

async function openSink(format: ExportFormat, out: string, exported: Exported): Promise<Sink> {
  try {
    return await SINKS[format](out, exported);
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (thrown instanceof ParquetMissing || code === undefined) throw thrown;
    throw new RunOptionError(`${out} cannot be written: ${message}`, { cause: thrown });
  }
}

async function* counted(
  folder: string,
  state: RunState,
  least = Number.NEGATIVE_INFINITY,
): AsyncGenerator<EpisodeLine, void> {
  const seen = new Set<number>();
  for await (const line of readLines<EpisodeLine>(join(folder, RUN_FILES.episodes))) {
    const isCurrent = state.tasks.get(line.index)?.taskHash === line.taskHash && line.repeat < state.run.selection.k;
    if (line.reward === null || !isCurrent || seen.has(line.episode)) continue;
    seen.add(line.episode);
    if (line.reward >= least) yield line;
  }
}

interface Sink {
  add(trajectory: Trajectory, at: number): void | Promise<void>;
  close(): void | Promise<void>;
}

interface Exported {
  readonly folder: string;
  readonly state: RunState;
}

const SINKS: Readonly<Record<ExportFormat, (out: string, exported: Exported) => Sink | Promise<Sink>>> = {
  atif(out, { folder, state }) {
    mkdirSync(out, { recursive: true });
    return { add: (trajectory) => writeAtif(trajectory, { out, folder, run: state.run }), close() {} };
  },
  openai: (out) => chatSink(out, 'openai'),
  huggingface: (out) => chatSink(out, 'huggingface'),
  async inspect(out, { state }) {
    await createFile(out, inspectHead(state.run, summarize(state)));
    return {
      add: (trajectory, at) =>
        appendFile(out, `${at === 0 ? '' : ',\n'}${JSON.stringify(toInspectSample(trajectory, state.run))}`),
      close: () => appendFile(out, INSPECT_TAIL),
    };
  },
  parquet: (out) => ParquetFile.create(out),
};

async function chatSink(out: string, dialect: ChatDialect): Promise<Sink> {
  await createFile(out, '');
  return { add: (trajectory) => appendFile(out, `${JSON.stringify(toChatLine(trajectory, dialect))}\n`), close() {} };
}

function createFile(out: string, head: string): Promise<void> {
  return writeFile(out, head, { flag: 'wx', mode: 0o600 });
}
