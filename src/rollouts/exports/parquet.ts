import type { ParquetWriter } from 'hyparquet-writer';
import { toMessages } from './chat.ts';
import type { Trajectory } from './trajectory.ts';

/** Writing Parquet needs a package that is not installed; the message says how to install it. */
export class ParquetMissing extends Error {
  override readonly name = 'ParquetMissing';
}

type Column = readonly [
  name: string,
  type: 'STRING' | 'INT32' | 'INT64' | 'DOUBLE',
  value: (trajectory: Trajectory) => unknown,
];

const COLUMNS: readonly Column[] = [
  ['episode', 'INT32', ({ line }) => line.episode],
  ['split', 'STRING', ({ line }) => line.split],
  ['index', 'INT32', ({ line }) => line.index],
  ['repeat', 'INT32', ({ line }) => line.repeat],
  ['attempt', 'INT32', ({ line }) => line.attempt],
  ['task_hash', 'STRING', ({ line }) => line.taskHash],
  ['outcome', 'STRING', ({ line }) => line.outcome],
  ['stop', 'STRING', ({ line }) => line.stop],
  ['reward', 'DOUBLE', ({ line }) => line.reward],
  ['steps', 'INT32', ({ line }) => line.steps],
  ['input_tokens', 'INT64', ({ line }) => BigInt(line.tokens.input)],
  ['output_tokens', 'INT64', ({ line }) => BigInt(line.tokens.output)],
  ['ms', 'INT64', ({ line }) => BigInt(line.ms)],
  ['messages', 'STRING', (trajectory) => JSON.stringify(toMessages(trajectory, 'huggingface'))],
];

const GROUP_ROWS = 500;

/** A table of episodes in a file, one group of rows in memory at a time. */
export class ParquetFile {
  readonly #writer: ParquetWriter;
  #rows: Trajectory[] = [];

  private constructor(writer: ParquetWriter) {
    this.#writer = writer;
  }

  static async create(file: string): Promise<ParquetFile> {
    const library = await load();
    const schema = library.schemaFromColumnData({
      columnData: COLUMNS.map(([name, type]) => ({ name, type, data: [] })),
    });
    return new ParquetFile(new library.ParquetWriter({ writer: library.fileWriter(file), schema }));
  }

  async add(trajectory: Trajectory): Promise<void> {
    this.#rows.push(trajectory);
    if (this.#rows.length >= GROUP_ROWS) await this.#flush();
  }

  async close(): Promise<void> {
    await this.#flush();
    await this.#writer.finish();
  }

  async #flush(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length === 0) return;
    await this.#writer.write({
      columnData: COLUMNS.map(([name, , value]) => ({ name, data: rows.map(value) })),
      rowGroupSize: GROUP_ROWS,
    });
  }
}

async function load(): Promise<typeof import('hyparquet-writer')> {
  try {
    return await import('hyparquet-writer');
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing) throw cause;
    throw new ParquetMissing('writing Parquet needs a package: npm install hyparquet-writer', { cause });
  }
}
