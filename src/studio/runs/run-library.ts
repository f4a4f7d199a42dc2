import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { RUN_FILES, type RunFile, RunFolderError, readRunFile } from '../../rollouts/index.ts';
import type { ReadableRun, RunChange, RunDetail, RunHead } from '../api.ts';
import { Listeners } from '../shared/listeners.ts';
import { conflict, notFound, unreadable } from '../shared/refusal.ts';
import { changeAgainst } from './comparison.ts';
import { RunIndex } from './run-index.ts';
import { TextSearches } from './search/text-searches.ts';
import { TaskTables } from './task-tables.ts';

const LOOK_MS = 1_000;
const MOST_RUNS = 1_000;

/** The runs in the folders that were named. */
export class RunLibrary {
  /** Told when something about the runs may have changed, at most once a second; with ids of those that did. */
  readonly changes: Listeners<ReadonlySet<string>> = new Listeners();
  /** Their tasks, by pages. */
  readonly tables: TaskTables = new TaskTables();
  /** What is looked for in their records. */
  readonly searches: TextSearches = new TextSearches();
  readonly #roots: readonly string[];
  /** By folder. */
  readonly #indexes = new Map<string, Promise<RunIndex>>();
  #timer: NodeJS.Timeout | undefined;
  #versions = new Map<string, string>();

  /** Each root is a run, or a folder with runs in it. */
  constructor(roots: readonly string[]) {
    this.#roots = roots.map((root) => resolve(root));
  }

  /** The folders of all runs, by id. */
  folders(): Map<string, string> {
    const folders = this.#roots.flatMap((root) => (isRun(root) ? [root] : runsIn(root)));
    return new Map(folders.slice(0, MOST_RUNS).map((folder) => [idOf(folder), folder]));
  }

  /** Looks for changes while somebody listens. */
  watch(listener: (changed: ReadonlySet<string>) => void): () => void {
    const unwatch = this.changes.add(listener);
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref();
    return () => {
      unwatch();
      if (this.changes.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  close(): void {
    this.searches.close();
    clearInterval(this.#timer);
  }

  /** All runs, the newest first; those that cannot be read come last. */
  async list(): Promise<RunHead[]> {
    const runs = this.#runs();
    const heads = await Promise.all([...this.folders()].map(([id, folder]) => this.#head(id, folder, runs)));
    return heads.sort((one, other) => timeOf(other).localeCompare(timeOf(one)));
  }

  async get(id: string): Promise<RunIndex> {
    const folder = this.folders().get(id);
    if (folder === undefined) throw notFound('run', id);
    return this.#open(folder).catch((thrown: unknown) => {
      throw thrown instanceof RunFolderError ? conflict(thrown.message) : thrown;
    });
  }

  /** A run that can be read; refused if it cannot. */
  async head(id: string): Promise<ReadableRun> {
    return this.#toHead(id, await this.get(id), this.#runs());
  }

  async detail(id: string): Promise<RunDetail> {
    const index = await this.get(id);
    const { pass, versions, git } = index.run;
    const { passAt } = index.summary;
    return { ...(await this.#toHead(id, index, this.#runs())), pass, versions, git, ...index.overview, passAt };
  }

  async #head(id: string, folder: string, runs: readonly FoundRun[]): Promise<RunHead> {
    try {
      return await this.#toHead(id, await this.#open(folder), runs);
    } catch (thrown) {
      return { id, name: basename(folder), folder, problem: unreadable(thrown) };
    }
  }

  async #toHead(id: string, index: RunIndex, runs: readonly FoundRun[]): Promise<ReadableRun> {
    const { folder, isLive, summary } = index;
    const { createdAt, target, identity, selection, tags } = index.run;
    const change = await this.#changeOf(index, runs);
    const place = { id, name: basename(folder), folder };
    return { ...place, createdAt, target, identity, selection, tags, isLive, summary, change, problem: null };
  }

  /** Against the newest run before it of the same environment and split. */
  async #changeOf(index: RunIndex, runs: readonly FoundRun[]): Promise<RunChange | null> {
    const { createdAt, identity } = index.run;
    const earlier = runs.filter(
      ({ folder, run }) =>
        folder !== index.folder &&
        run.createdAt < createdAt &&
        run.identity.environment === identity.environment &&
        run.identity.split === identity.split,
    );
    const before = earlier.reduce<FoundRun | undefined>(
      (newest, each) => (newest === undefined || each.run.createdAt > newest.run.createdAt ? each : newest),
      undefined,
    );
    return before === undefined ? null : changeAgainst(await this.#open(before.folder), index, before.id);
  }

  /** What the runs are, without what came of them; those that cannot be read are left out. */
  #runs(): FoundRun[] {
    return [...this.folders()].flatMap(([id, folder]) => {
      const run = readRun(folder);
      return run === undefined ? [] : [{ id, folder, run }];
    });
  }

  async #open(folder: string): Promise<RunIndex> {
    const known = this.#indexes.get(folder);
    const opening = known?.then(async (index) => {
      await index.refresh();
      return index;
    });
    const opened = opening ?? RunIndex.open(folder);
    this.#indexes.set(folder, opened);
    return opened.catch((thrown: unknown) => {
      this.#indexes.delete(folder);
      throw thrown;
    });
  }

  async #look(): Promise<void> {
    const versions = new Map<string, string>();
    for (const [id, folder] of this.folders()) {
      const index = await this.#open(folder).catch(() => undefined);
      versions.set(id, index === undefined ? 'broken' : `${index.version} ${index.isLive}`);
    }
    const ids = new Set([...versions.keys(), ...this.#versions.keys()]);
    const changed = new Set([...ids].filter((id) => versions.get(id) !== this.#versions.get(id)));
    this.#versions = versions;
    if (changed.size > 0) this.changes.tell(changed);
  }
}

interface FoundRun {
  readonly id: string;
  readonly folder: string;
  readonly run: RunFile;
}

/** The id of a run: its name, and what tells it from others of the same name. */
function idOf(folder: string): string {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 8);
  return `${basename(folder)
    .replace(/[^\w.-]+/g, '_')
    .slice(0, 60)}-${hash}`;
}

function isRun(folder: string): boolean {
  return existsSync(join(folder, RUN_FILES.run));
}

function runsIn(root: string): string[] {
  try {
    const entries = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return entries.map(({ name }) => join(root, name)).filter(isRun);
  } catch {
    return []; // It is not there yet, or no longer.
  }
}

function readRun(folder: string): RunFile | undefined {
  try {
    return readRunFile(folder);
  } catch {
    return undefined; // The table says of it that it cannot be read.
  }
}

function timeOf(run: RunHead): string {
  return run.problem === null ? run.createdAt : '';
}
