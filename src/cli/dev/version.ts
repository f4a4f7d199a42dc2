import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Failure } from '../shared/failure.ts';
import type { ModuleProblem } from '../shared/module-problem.ts';
import type { Served } from '../shared/serving/banner.ts';
import { type Order, type Report, type VersionPlan, WATCHDOG_FD } from './messages.ts';

/** What became of loading: what is served, what is wrong, or nothing because the process ended. */
export type LoadOutcome =
  | { readonly kind: 'loaded'; readonly served: Served }
  | { readonly kind: 'broken'; readonly problem: ModuleProblem }
  | { readonly kind: 'ended' };

/** Who wants to hear from a version while it lives. */
export interface VersionListener {
  onImport(file: string): void;
  onLog(line: string): void;
}

/** Where the output of the author's code goes: as it is, or out of the way of ours. */
export type AuthorsOutput = 'stdout' | 'stderr';

// A process that does not answer for so long is in a loop, and would never end by itself.
const ANSWER_MS = 3_000;

/** One version of the author's code, in a process of its own. */
export class Version {
  readonly #child: ChildProcess;
  readonly #kill = () => void this.#child.kill('SIGKILL');
  readonly #loaded: Promise<LoadOutcome>;
  /** Resolves to the exit code, or to undefined if a signal ended it. */
  readonly ended: Promise<number | undefined>;

  /** Starts its process, which has loaded all that is not the author's when it is needed. */
  constructor(listener: VersionListener, output: AuthorsOutput) {
    this.#child = fork(PROCESS, { stdio: ['ignore', output === 'stdout' ? 1 : 2, 2, 'ipc', 'pipe'] });
    createInterface({ input: this.#child.stdio[WATCHDOG_FD] as Readable }).on('line', (line) => listener.onLog(line));
    this.ended = new Promise((resolve) => this.#child.once('exit', (code) => resolve(code ?? undefined)));
    // However the command ends, nothing stays behind.
    process.once('exit', this.#kill);
    void this.ended.then(() => process.off('exit', this.#kill));
    this.#child.on('message', (report: Report) => {
      if (report.kind === 'import') listener.onImport(report.file);
      else if (report.kind === 'log') listener.onLog(report.line);
    });
    this.#loaded = this.#answer((report) =>
      report.kind === 'loaded' || report.kind === 'broken' ? report : undefined,
    ).then((outcome) => outcome ?? { kind: 'ended' });
  }

  /** Loads the code as it is now. */
  load(plan: VersionPlan): Promise<LoadOutcome> {
    this.#order({ kind: 'load', plan });
    return this.#loaded;
  }

  /** Begins to serve; returns where. */
  async listen(port: number, host: string): Promise<string> {
    const answer = this.#answer((report) =>
      report.kind === 'listening' || report.kind === 'unavailable' ? report : undefined,
    );
    this.#order({ kind: 'listen', port, host });
    const report = await answer;
    if (report?.kind === 'listening') return report.url;
    throw new Failure(
      report === undefined
        ? 'the server exited before it was listening'
        : `${report.message} (--port 0 picks a free port)`,
    );
  }

  /** Ends it in good order, with its sessions; returns false if it did not answer and had to be killed. */
  async close(): Promise<boolean> {
    const answer = this.#answer((report) => (report.kind === 'closing' ? report : undefined));
    this.#order({ kind: 'close' });
    let answers = true;
    const timer = setTimeout(() => {
      answers = false;
      this.#kill();
    }, ANSWER_MS);
    void answer.then(() => clearTimeout(timer));
    await this.ended;
    return answers;
  }

  /** Ends it at once: for one that has not served. */
  async discard(): Promise<void> {
    this.#kill();
    await this.ended;
  }

  #order(order: Order): void {
    // One that has ended by itself is told nothing; those who wait for it hear of its end.
    if (this.#child.connected) this.#child.send(order, () => {});
  }

  /** Resolves to the first report that fits, or to undefined when the process has ended. */
  #answer<Fitting>(choose: (report: Report) => Fitting | undefined): Promise<Fitting | undefined> {
    return new Promise((resolve) => {
      this.#child.on('message', (report: Report) => {
        const fitting = choose(report);
        if (fitting !== undefined) resolve(fitting);
      });
      void this.ended.then(() => resolve(undefined));
    });
  }
}

const PROCESS = fileURLToPath(new URL(`./version-process${extname(import.meta.url)}`, import.meta.url));
