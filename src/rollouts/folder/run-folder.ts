import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../protocol/index.ts';
import { BlobFolder, PRIVATE_FOLDER, RecordWriter, ThreadAppender } from '../../records/index.ts';
import { AttemptRecord } from '../play/attempt-record.ts';
import type { EpisodeLine } from './episode-line.ts';
import { LineFile } from './line-file.ts';
import { lockFolder } from './lock.ts';
import type { PlannedEpisode } from './plan-file.ts';
import { RUN_VERSION, type RunFile } from './run-file.ts';

/** A folder cannot be used for a run; the message says what to do. */
export class RunFolderError extends Error {
  override readonly name = 'RunFolderError';
}

/** The files of a run, by their names. */
export const RUN_FILES = {
  run: 'run.json',
  plan: 'plan.jsonl',
  episodes: 'episodes.jsonl',
  summary: 'summary.json',
  report: 'report.html',
} as const;

/** The folder of a run that this process plays in. */
export class RunFolder implements Disposable {
  readonly path: string;
  readonly #lock: Disposable;
  readonly #plan: LineFile;
  readonly #episodes: LineFile;
  /** One for all records: what is in it need not be looked for again. */
  readonly #blobs: BlobFolder;
  readonly #appender = new ThreadAppender();
  #events: 'new' | 'used' | undefined;
  /** Whether the folder shall go when it is closed. */
  #isUnwanted = false;
  /** Whether it was made for this run. */
  readonly #isMade: boolean;

  private constructor(path: string, lock: Disposable, isMade: boolean) {
    this.path = path;
    this.#isMade = isMade;
    this.#lock = lock;
    this.#plan = new LineFile(join(path, RUN_FILES.plan));
    this.#episodes = new LineFile(join(path, RUN_FILES.episodes));
    this.#blobs = new BlobFolder(join(path, 'blobs'));
  }

  /** Takes possession of a folder, and makes it if need be. One that has a run already is refused, unless that is to be resumed. */
  static async open(path: string, mode: 'new' | 'resume'): Promise<RunFolder> {
    const isMade = makeFolder(path);
    const lock = await lockFolder(path);
    try {
      assertUsable(path, mode);
      removeDrafts(path);
      return new RunFolder(path, lock, isMade);
    } catch (thrown) {
      lock[Symbol.dispose]();
      throw thrown;
    }
  }

  /** What the run is; undefined before it was written. */
  readRun(): RunFile | undefined {
    return existsSync(join(this.path, RUN_FILES.run)) ? readRunFile(this.path) : undefined;
  }

  writeRun(run: RunFile): void {
    writeWhole(this.path, RUN_FILES.run, `${JSON.stringify(run, null, 2)}\n`);
  }

  /** Takes back a run that was refused before it was played: a new one leaves nothing, an earlier one is as it was. */
  withdraw(before: RunFile | undefined): void {
    if (before !== undefined) return this.writeRun(before);
    for (const name of [RUN_FILES.run, RUN_FILES.plan, RUN_FILES.episodes])
      rmSync(join(this.path, name), { force: true });
    this.#isUnwanted = this.#isMade;
  }

  writeSummary(summary: object): void {
    writeWhole(this.path, RUN_FILES.summary, `${JSON.stringify(summary, null, 2)}\n`);
  }

  addPlanned(episode: PlannedEpisode): void {
    this.#plan.append(episode);
  }

  /** Writes what was planned: before any of it is played. */
  endPlan(): void {
    this.#plan.write();
  }

  /** Notes that an attempt has ended; its record must be written by then. */
  addEnded(line: EpisodeLine): void {
    this.#episodes.append(line);
  }

  /** A record for the next attempt at an episode: those that are there stay as evidence. */
  openRecord(
    { episode }: PlannedEpisode,
    from: number,
    secrets: Readonly<Record<string, string>>,
  ): { readonly attempt: number; readonly record: AttemptRecord } {
    this.#events ??= prepareEvents(this.path);
    let attempt = from;
    // Nobody else writes here: what was not there when this process began is not looked for.
    if (this.#events === 'used') while (existsSync(recordPath(this.path, episode, attempt))) attempt += 1;
    const file = recordPath(this.path, episode, attempt);
    const writer = RecordWriter.open(file, { blobs: this.#blobs, secrets, created: 'later' });
    return { attempt, record: new AttemptRecord(writer, this.#appender) };
  }

  [Symbol.dispose](): void {
    try {
      this.#episodes.flush();
    } finally {
      this.#appender[Symbol.dispose]();
      this.#plan[Symbol.dispose]();
      this.#episodes[Symbol.dispose]();
      this.#lock[Symbol.dispose]();
      if (this.#isUnwanted && readdirSync(this.path).length === 0) rmdirSync(this.path);
    }
  }
}

/** Makes the folder of records, and says whether there may be some. Not before the first one: a folder that has it is taken for a run. */
function prepareEvents(folder: string): 'new' | 'used' {
  const made = mkdirSync(join(folder, 'events'), { recursive: true, mode: PRIVATE_FOLDER });
  return made === undefined ? 'used' : 'new';
}

/** Where the record of an attempt is. */
export function recordPath(folder: string, episode: number, attempt: number): string {
  return join(folder, 'events', `${episode}.${attempt}.jsonl`);
}

/** Reads `run.json` of a folder. */
export function readRunFile(folder: string): RunFile {
  const path = join(folder, RUN_FILES.run);
  if (!existsSync(folder)) throw new RunFolderError(`${folder} does not exist. Name the folder of a run`);
  if (!existsSync(path)) throw new RunFolderError(`${folder} is not the folder of a run: it has no ${RUN_FILES.run}`);
  const run = parseRun(path);
  if (run.v <= RUN_VERSION) return run;
  throw new RunFolderError(
    `${path} is of version ${run.v}, and this tiltyard reads up to ${RUN_VERSION}. Use a newer one`,
  );
}

/** Writes a file so that it is either complete or not there. */
export function writeWhole(folder: string, name: string, content: string): void {
  const draft = join(folder, `.${name}.${randomBytes(6).toString('hex')}`);
  writeFileSync(draft, content, { mode: 0o600 });
  renameSync(draft, join(folder, name));
}

function parseRun(path: string): RunFile {
  try {
    const run = JSON.parse(readFileSync(path, 'utf8')) as RunFile;
    const isWhole = isObject(run.identity) && isObject(run.selection);
    // A newer one may have another form, and is refused for that.
    if (typeof run.v === 'number' && (isWhole || run.v > RUN_VERSION)) return run;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw new RunFolderError(`${path} is not the ${RUN_FILES.run} of a run`);
}

/** Makes the folder of a run; false if it exists. */
function makeFolder(path: string): boolean {
  try {
    return mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? `${path} is a file, or is inside one` : message;
    throw new RunFolderError(`the run cannot be written: ${why}. Choose another folder`, { cause });
  }
}

function assertUsable(path: string, mode: 'new' | 'resume'): void {
  const hasRun = existsSync(join(path, RUN_FILES.run));
  if (hasRun && mode === 'new')
    throw new RunFolderError(
      `${path} has a run already. Continue it with --resume, or choose another folder with --out`,
    );
  // What a process leaves that was killed before it wrote what it is about.
  const isOurs = (name: string) => /^\.?(?:lock|run\.json|plan\.jsonl|episodes\.jsonl)/.test(name);
  const others = readdirSync(path).filter((name) => !isOurs(name));
  if (!hasRun && others.length > 0)
    throw new RunFolderError(
      `${path} is not empty, and not the folder of a run (it has ${others[0]}). Choose another one`,
    );
}

/** What killed processes have left of files that they were writing. */
function removeDrafts(path: string): void {
  for (const name of readdirSync(path))
    if (/^\.(?:run\.json|summary\.json|report\.html)\.[0-9a-f]{12}$/.test(name))
      rmSync(join(path, name), { force: true });
}
