import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RunOptionError } from '../option-error.ts';
import { RunState, readCounted } from '../run-state.ts';
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
  if (!existsSync(dirname(out))) throw new RunOptionError(`${dirname(out)} does not exist. Make this folder first`);
  const state = await RunState.read(folder);
  const sink = await openSink(format, out, { folder, state });
  try {
    let count = 0;
    for await (const line of readCounted(folder, state)) {
      if (minReward !== undefined && line.reward < minReward) continue;
      await sink.add(await readTrajectory(folder, line), count);
      count += 1;
    }
    await sink.close();
    return count;
  } catch (thrown) {
    // Half an export looks like a whole one, and would stand in the way of the next.
    await Promise.resolve(sink.close()).catch(() => {});
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
    const file = await createText(out);
    await file.appendFile(inspectHead(state.run, summarize(state)));
    return {
      add: (trajectory, at) =>
        file.appendFile(`${at === 0 ? '' : ',\n'}${JSON.stringify(toInspectSample(trajectory, state.run))}`),
      async close() {
        await file.appendFile(INSPECT_TAIL);
        await file.close();
      },
    };
  },
  parquet: (out) => ParquetFile.create(out),
};

async function chatSink(out: string, dialect: ChatDialect): Promise<Sink> {
  const file = await createText(out);
  return {
    add: (trajectory) => file.appendFile(`${JSON.stringify(toChatLine(trajectory, dialect))}\n`),
    close: () => file.close(),
  };
}

function createText(out: string): Promise<FileHandle> {
  return open(out, 'wx', 0o600);
}
