import type { Failure, Limits } from '../core/index.ts';
import type { ToolSpec, WireBlock } from '../protocol/index.ts';
import {
  type EpisodeStart,
  type Loss,
  type OpenEpisode,
  type ReadyListener,
  type RunListener,
  type RunRequest,
  type Subject,
  settlesWithin,
  type TraceHeaders,
} from '../sessions/index.ts';
import type { EpisodeListener } from './duties.ts';
import { SIGN_OF_LIFE_MS, type Worker } from './worker.ts';

/** How episodes in workers behave. */
export interface WorkerEpisodeOptions extends Pick<Limits, 'graceMs' | 'teardownMs'> {
  /** To which trace an author's code belongs; undefined where nobody traces. */
  readonly traceOf?: ((subject: Subject) => TraceHeaders | undefined) | undefined;
}

/** What a worker tells of an episode that it has opened. */
export type EpisodeFacts = Pick<OpenEpisode, 'environment' | 'needsSetup' | 'taskDigest'>;

/** An episode in a worker. */
export class WorkerEpisode implements OpenEpisode, EpisodeListener {
  environment = '';
  needsSetup = false;
  taskDigest: string | undefined;
  readonly number: number;
  readonly #worker: Worker;
  readonly #start: Pick<EpisodeStart, 'session' | 'sid'>;
  readonly #options: WorkerEpisodeOptions;
  #onReady: ReadyListener | undefined;
  #onLost: ((loss: Loss) => void) | undefined;
  #loss: Loss | undefined;
  #isClosed = false;

  constructor(worker: Worker, { session, sid }: EpisodeStart, options: WorkerEpisodeOptions) {
    this.#worker = worker;
    this.#start = { session, sid };
    this.#options = options;
    this.number = worker.addEpisode(this);
  }

  get session(): number {
    return this.#start.session;
  }

  opened({ environment, needsSetup, taskDigest }: EpisodeFacts): void {
    this.environment = environment;
    this.needsSetup = needsSetup;
    this.taskDigest = taskDigest;
  }

  begin(onReady: ReadyListener, onLost?: (loss: Loss) => void): void {
    this.#onReady = onReady;
    this.#onLost = onLost;
    // Its worker may have ended since it was opened.
    if (this.#loss !== undefined) return this.#tellLost(this.#loss);
    this.#worker.tell({ kind: 'begin', episode: this.number, trace: this.#traceOf('setup') });
  }

  ready(failure: Failure | undefined, saved?: string): void {
    const tell = this.#onReady;
    this.#onReady = undefined;
    tell?.(failure, saved);
  }

  lost(loss: Loss): void {
    this.#loss = loss;
    this.#tellLost(loss);
  }

  giveUpSetup(limitMs: number): void {
    this.#worker.tell({ kind: 'give_up_setup', episode: this.number, limitMs });
    void settlesWithin(this.#worker.ended, this.#patienceMs).then((hasEnded) => {
      if (!hasEnded && this.#onReady !== undefined) this.#endIfSilent('setup');
    });
  }

  prompt(): Promise<WireBlock[]> {
    return this.#worker.ask({ ask: 'prompt', episode: this.number, trace: this.#traceOf('prompt') });
  }

  tools(): Promise<readonly ToolSpec[]> {
    return this.#worker.ask({ ask: 'tools', episode: this.number });
  }

  run(request: RunRequest, listener: RunListener): void {
    // Its session hears of the end, and ends its calls.
    if (this.#loss !== undefined) return;
    const { call, name } = request;
    const run = this.#worker.addRun(name, this.number, this.environment, listener);
    const { traceOf } = this.#options;
    const trace = traceOf?.({ call, part: 'tool', tool: name, environment: this.environment, ...this.#start });
    this.#worker.tell({ kind: 'run', run, episode: this.number, request, trace });
  }

  abort(call: number, reason: string): void {
    if (this.#loss === undefined) this.#worker.tell({ kind: 'abort', episode: this.number, call, reason });
  }

  async close(reason: string): Promise<void> {
    if (this.#isClosed || this.#loss !== undefined) return;
    this.#isClosed = true;
    const wasSettingUp = this.#onReady !== undefined;
    this.#onReady = undefined;
    const running = this.#worker.removeEpisode(this.number);
    const closed = this.#worker.ask({ ask: 'close', episode: this.number, reason });
    const { teardownMs } = this.#options;
    if (await settlesWithin(closed, this.#patienceMs)) return;
    const [tool] = running;
    if (tool !== undefined) this.#endIfSilent(`tool '${tool}'`, { episode: this.number });
    else if (wasSettingUp) this.#endIfSilent('setup', { episode: this.number });
    await settlesWithin(closed, teardownMs + SIGN_OF_LIFE_MS);
  }

  get #patienceMs(): number {
    return Math.max(this.#options.graceMs, SIGN_OF_LIFE_MS);
  }

  #endIfSilent(what: string, culprit?: { readonly episode: number }): void {
    this.#worker.endIfSilent(`${what} of environment '${this.environment}'`, this.#options.graceMs, culprit);
  }

  #tellLost(loss: Loss): void {
    setImmediate(() => this.#onLost?.(loss));
  }

  #traceOf(part: 'setup' | 'prompt'): TraceHeaders | undefined {
    const { traceOf } = this.#options;
    return traceOf?.({ ...this.#start, part, environment: this.environment });
  }
}
