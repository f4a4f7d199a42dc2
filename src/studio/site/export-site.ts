import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { version } from '../../version.ts';
import type { ReadableRun, RunHead, StaticSite, TaskTable } from '../api.ts';
import { pageFolder } from '../http/page.ts';
import { compareIndexes, differingTasks } from '../runs/comparison.ts';
import { readEpisodeDetail } from '../runs/episode.ts';
import { RunLibrary } from '../runs/run-library.ts';
import { MOST_ROWS } from '../select-tasks.ts';
import { Refusal } from '../shared/refusal.ts';

/** What is exported, and where to. */
export interface SiteOptions {
  /** Folders of runs, or folders with runs in them. */
  readonly runs: readonly string[];
  /** Must be empty, or not exist. */
  readonly out: string;
  /** Where the page is built. Default: where the build puts it. */
  readonly page?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** What was written. */
export interface ExportedSite {
  readonly out: string;
  readonly runs: number;
  readonly episodes: number;
}

/** A site that cannot be written; the message says why. */
export class SiteError extends Error {
  override readonly name = 'SiteError';
}

/** Writes runs as a static site: the same page, and its answers as files. */
export async function exportSite(options: SiteOptions): Promise<ExportedSite> {
  const { out, page = pageFolder() } = options;
  if (!existsSync(join(page, PAGE))) throw new SiteError('the page of the studio is not built. Run: npm run build');
  if (existsSync(out) && !statSync(out).isDirectory()) throw new SiteError(`${out} is a file. Choose a folder`);
  if (existsSync(out) && readdirSync(out).length > 0)
    throw new SiteError(`${out} is not empty. Choose another folder, or delete what is in it`);
  const library = new RunLibrary(options.runs);
  const heads = toReadable(await library.list(), options.runs);
  makeFolder(out);
  try {
    return await new SiteWriter(library, heads, options).write(page);
  } catch (thrown) {
    // Half of a site would look like all of it.
    for (const name of readdirSync(out)) rmSync(join(out, name), { recursive: true, force: true });
    throw thrown;
  }
}

const PAGE = 'static.html';

function makeFolder(out: string): void {
  try {
    mkdirSync(out, { recursive: true });
  } catch (cause) {
    throw new SiteError(`${out} cannot be made: ${(cause as Error).message}. Choose another folder`, { cause });
  }
}

function toReadable(heads: readonly RunHead[], named: readonly string[]): ReadableRun[] {
  if (heads.length === 0) throw new SiteError(`there is no run in ${named.join(', ')}: none has a run.json`);
  return heads.map((head) => {
    if (head.problem === null) return head;
    throw new SiteError(`${head.folder} cannot be read: ${head.problem.message}`);
  });
}

/** Writes the files of one site. */
class SiteWriter {
  readonly #library: RunLibrary;
  readonly #heads: readonly ReadableRun[];
  readonly #options: SiteOptions;
  readonly #total: number;
  #episodes = 0;
  #done = 0;

  constructor(library: RunLibrary, heads: readonly ReadableRun[], options: SiteOptions) {
    this.#library = library;
    this.#heads = heads;
    this.#options = options;
    this.#total = heads.reduce((sum, { summary }) => sum + summary.episodes.planned, 0);
  }

  async write(page: string): Promise<ExportedSite> {
    const { out } = this.#options;
    this.#answer('runs', this.#heads.map(withoutPlace));
    for (const { id } of this.#heads) await this.#run(id);
    for (const { id } of this.#heads)
      for (const { id: other } of this.#heads) if (id !== other) await this.#compare(id, other);
    const site: StaticSite = {
      version,
      createdAt: new Date().toISOString(),
      tasksPerPage: MOST_ROWS,
      runs: this.#heads.map(({ id }) => id),
    };
    this.#file('site', `globalThis.tiltyardSite = ${toScript(site)};\n`);
    cpSync(page, out, { recursive: true, filter: (path) => !/[\\/](?:index|static)\.html$/.test(path) });
    // Last: until then there is nothing to open.
    cpSync(join(page, PAGE), join(out, 'index.html'));
    return { out, runs: this.#heads.length, episodes: this.#episodes };
  }

  async #run(id: string): Promise<void> {
    const index = await this.#library.get(id);
    this.#answer(`runs/${id}`, withoutPlace(await this.#library.detail(id)));
    const rows = [...index.rows()].sort((one, other) => one.index - other.index);
    const total = rows.length;
    for (let start = 0; start === 0 || start < total; start += MOST_ROWS) {
      const table: TaskTable = { total, matched: total, start, rows: rows.slice(start, start + MOST_ROWS) };
      this.#answer(`runs/${id}/tasks/${start / MOST_ROWS}`, table);
    }
    for (const { cells } of rows)
      for (const cell of cells) {
        this.#options.signal?.throwIfAborted();
        this.#done += 1;
        this.#options.onProgress?.(this.#done, this.#total);
        if (cell === null) continue;
        this.#answer(
          `runs/${id}/episodes/${cell.episode}`,
          await readEpisodeDetail(index, cell.episode, { how: 'all' }),
        );
        this.#episodes += 1;
      }
  }

  async #compare(id: string, other: string): Promise<void> {
    const [first, second] = [await this.#library.get(id), await this.#library.get(other)];
    const heads = { first: this.#head(id), second: this.#head(other) };
    try {
      this.#answer(`runs/${id}/compare/${other}`, compareIndexes(first, second, heads));
    } catch {
      return; // Other tasks: there is nothing to compare.
    }
    this.#answer(
      `runs/${id}/compare/${other}/tasks`,
      differingTasks(first, second, { start: 0, stop: Number.POSITIVE_INFINITY }),
    );
  }

  #head(id: string): ReadableRun {
    const head = this.#heads.find((each) => each.id === id);
    if (head === undefined) throw new Refusal(404, 'not_found', `there is no run '${id}'`);
    return withoutPlace(head);
  }

  #answer(path: string, answer: object): void {
    this.#file(path, `(globalThis.tiltyardAnswers ??= {})[${JSON.stringify(path)}] = ${toScript(answer)};\n`);
  }

  #file(path: string, text: string): void {
    const file = join(this.#options.out, 'data', `${path}.js`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** A value as JavaScript: as text to be parsed, since a literal with the key `__proto__` would be another value. */
function toScript(value: object): string {
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
}

// Where it was on this machine is nobody's business.
function withoutPlace<Head extends ReadableRun>(head: Head): Head {
  return { ...head, folder: basename(head.folder) };
}
