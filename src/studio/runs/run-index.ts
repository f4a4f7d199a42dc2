import { statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type EpisodeLine,
  isInUse,
  type PlannedEpisode,
  RUN_FILES,
  type RunFile,
  RunFolderError,
  RunState,
  readRunFile,
  type Summary,
  selectionFilter,
  summarize,
} from '../../rollouts/index.ts';
import type { TaskCell, TaskRow } from '../api.ts';
import { Cells } from './cells.ts';
import { LineTail, type PlacedLine, readLineAt } from './line-tail.ts';
import { type Overview, overviewOf } from './overview.ts';

/** What a run's files say, read once, and from then on only what is new in them. */
export class RunIndex {
  readonly folder: string;
  #content: Content;
  #reading: Promise<void> | undefined;
  #overview: { readonly version: number; readonly value: Overview } | undefined;

  private constructor(folder: string) {
    this.folder = folder;
    this.#content = new Content(folder);
  }

  static async open(folder: string): Promise<RunIndex> {
    const index = new RunIndex(folder);
    await index.refresh();
    return index;
  }

  /** Reads what is new; all that ask meanwhile wait for the same. */
  refresh(): Promise<void> {
    this.#reading ??= this.#refresh().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  get run(): RunFile {
    return this.#content.run;
  }

  get state(): RunState {
    return this.#content.state;
  }

  /** Grows with each change. */
  get version(): number {
    return this.#content.version;
  }

  get isLive(): boolean {
    return isInUse(this.folder);
  }

  get summary(): Summary {
    return this.#content.summary;
  }

  /** What all of its rows say together. */
  get overview(): Overview {
    const { version, state } = this.#content;
    if (this.#overview?.version !== version) this.#overview = { version, value: overviewOf(this.rows(), state) };
    return this.#overview.value;
  }

  /** All tasks, one by one, in the order in which they were planned. */
  *rows(): Generator<TaskRow, void> {
    for (const index of this.#content.state.tasks.keys()) yield this.row(index);
  }

  row(index: number): TaskRow {
    const { state, run } = this.#content;
    const { valid = 0, sum = 0, passed = 0 } = state.tasks.get(index) ?? {};
    const cells = this.cellsOf(index);
    while (cells.length < run.selection.k) cells.push(null);
    return { index, mean: valid === 0 ? null : sum / valid, spread: spreadOf(cells), valid, passed, cells };
  }

  cellsOf(index: number): (TaskCell | null)[] {
    const { cells } = this.#content;
    // Repeats that are not planned yet are holes, which map would leave out.
    return Array.from(cells.episodesOf(index), (episode) => (episode === undefined ? null : cells.get(episode)));
  }

  /** How many episodes were planned. */
  get episodes(): number {
    return this.#content.planned;
  }

  /** How many of them have an attempt that ended. */
  get played(): number {
    return this.#content.cells.played;
  }

  /** The line of an episode's last attempt; null if there is none yet. */
  lineOf(episode: number): EpisodeLine | null {
    const place = this.#content.cells.placeOf(episode);
    if (place === null) return null;
    return JSON.parse(readLineAt(join(this.folder, RUN_FILES.episodes), place)) as EpisodeLine;
  }

  async #refresh(): Promise<void> {
    if (this.#content.isOutdated || !(await this.#content.read())) {
      this.#content = new Content(this.folder, this.#content.version + 1);
      await this.#content.read();
    }
  }
}

/** All that was read since the run's files were begun. */
class Content {
  readonly run: RunFile;
  readonly state: RunState;
  readonly cells = new Cells();
  version: number;
  planned = 0;
  readonly #runFile: string;
  readonly #writtenAt: number;
  readonly #plan: LineTail;
  readonly #episodes: LineTail;
  readonly #isSelected: (planned: PlannedEpisode) => boolean;
  #summary: { readonly version: number; readonly value: Summary } | undefined;

  constructor(folder: string, version = 0) {
    this.#runFile = join(folder, RUN_FILES.run);
    this.run = readRunFile(folder);
    this.#writtenAt = statSync(this.#runFile).mtimeMs;
    this.state = new RunState(this.run);
    this.version = version;
    this.#plan = new LineTail(join(folder, RUN_FILES.plan));
    this.#episodes = new LineTail(join(folder, RUN_FILES.episodes));
    this.#isSelected = selectionFilter(this.run.selection);
  }

  /** Whether the run was made another since: `--resume` may add tasks and repeats. */
  get isOutdated(): boolean {
    return statSync(this.#runFile, { throwIfNoEntry: false })?.mtimeMs !== this.#writtenAt;
  }

  get summary(): Summary {
    if (this.#summary?.version !== this.version)
      this.#summary = { version: this.version, value: summarize(this.state) };
    return this.#summary.value;
  }

  /** False if a file has become shorter. */
  async read(): Promise<boolean> {
    const isPlanWhole = await this.#plan.read(({ text }) =>
      this.#addPlanned(parse<PlannedEpisode>(text, RUN_FILES.plan)),
    );
    return (
      isPlanWhole &&
      (await this.#episodes.read((line) => this.#addEnded(parse<EpisodeLine>(line.text, RUN_FILES.episodes), line)))
    );
  }

  #addPlanned(planned: PlannedEpisode): void {
    this.version += 1;
    this.planned = Math.max(this.planned, planned.episode + 1);
    if (!this.#isSelected(planned)) return;
    this.state.addPlanned(planned);
    this.cells.plan(planned);
  }

  #addEnded(line: EpisodeLine, place: PlacedLine): void {
    this.version += 1;
    this.state.addEnded(line);
    if (this.state.isCurrent(line)) this.cells.set(line, place);
  }
}

/** The greatest reward minus the least; null if none counts. */
function spreadOf(cells: readonly (TaskCell | null)[]): number | null {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const cell of cells) {
    if (cell === null || cell.reward === null) continue;
    least = Math.min(least, cell.reward);
    greatest = Math.max(greatest, cell.reward);
  }
  return greatest < least ? null : greatest - least;
}

function parse<Line>(text: string, file: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch (cause) {
    throw new RunFolderError(`${file} is damaged: this line is not JSON: ${text.slice(0, 100)}`, { cause });
  }
}
