import { type Effects, type Failure, FewMap, TiltyardError, toError, toFailureError } from '../core/index.ts';
import type { ToolSpec, WireBlock } from '../protocol/index.ts';
import {
  type EnvironmentManifest,
  type EpisodeStart,
  type Loss,
  NOT_RUN,
  type OpenEpisode,
  type ReadyListener,
  type RunEnding,
  type RunListener,
  type RunRequest,
  type WhyLost,
  whyNotRebuilt,
} from '../sessions/index.ts';
import { DurableRun, type RunOwner } from './durable-run.ts';
import { outcomeUnknown, toEndRecord, toRecordedCall } from './end-record.ts';
import { type Recollection, recollect } from './past.ts';
import type { SessionJournal } from './session-journal.ts';

/** What an episode is made from that outlives the process that runs it. */
export interface DurableParts {
  readonly environment: Pick<EnvironmentManifest, 'name' | 'durability' | 'effects'>;
  readonly start: EpisodeStart;
  readonly journal: SessionJournal;
  /** Opens it once more, wherever there is room. */
  readonly open: (start: EpisodeStart) => Promise<OpenEpisode>;
  /** How long it may take to be built again; 0: any time. */
  readonly setupMs: number;
  /** Hears that it was built again. */
  readonly onRebuilt: (rebuilt: Rebuilt) => void;
}

/** How an episode was built again. */
export interface Rebuilt {
  /** How many of its calls and prompts were run again. */
  readonly steps: number;
  readonly durationMs: number;
}

interface Waiter {
  resolve(episode: OpenEpisode): void;
  reject(error: TiltyardError): void;
}

// An episode that ends its process again and again must not take the others along each time.
const MAX_CHARGES = 2;

/**
 * An episode that outlives its process: what happens in it is written down before it is told, and when its process ends, it is built
 * again from that. Its session hears nothing of it, except that things take longer.
 */
export class DurableEpisode implements OpenEpisode, RunOwner {
  readonly environment: string;
  readonly needsSetup: boolean;
  readonly taskDigest: string | undefined;
  readonly #parts: DurableParts;
  /** The episode in its process; undefined while it is being built again. */
  #inner: OpenEpisode | undefined;
  /** The same before it is ready. */
  #building: OpenEpisode | undefined;
  /** What came of a former process is not heard. */
  #generation = 0;
  /** Those that have not ended, by the numbers of their calls. */
  readonly #runs = new FewMap<number, DurableRun>();
  #waiters: Waiter[] = [];
  #onReady: ReadyListener | undefined;
  #onLost: (loss: Loss & WhyLost) => void = () => {};
  #prompt: Promise<WireBlock[]> | undefined;
  #charges = 0;
  #tainted: string | undefined;
  #isOver = false;

  /** `opened` is the episode of a new session; without it, it is built from its journal. */
  constructor(parts: DurableParts, opened?: OpenEpisode) {
    this.environment = parts.environment.name;
    this.needsSetup = opened?.needsSetup ?? true;
    this.taskDigest = opened?.taskDigest;
    this.#parts = parts;
    this.#building = opened;
  }

  begin(onReady: ReadyListener, onLost: (loss: Loss & WhyLost) => void = () => {}): void {
    this.#onReady = onReady;
    this.#onLost = onLost;
    if (this.#building === undefined) void this.#build();
    else this.#follow(this.#building, undefined);
  }

  giveUpSetup(limitMs: number): void {
    this.#building?.giveUpSetup(limitMs);
  }

  prompt(): Promise<WireBlock[]> {
    this.#prompt ??= this.#readPrompt().catch((thrown) => {
      this.#prompt = undefined;
      throw thrown;
    });
    return this.#prompt;
  }

  async tools(): Promise<readonly ToolSpec[]> {
    return this.#withInner(async (inner) => inner.tools());
  }

  run(request: RunRequest, listener: RunListener): void {
    const { durability, effects } = this.#parts.environment;
    const run = new DurableRun(this, request, effectsOf(effects, request.name), listener);
    this.#runs.set(request.call, run);
    if (durability === 'none') this.#start(run);
    else if (request.isIdKnown) this.#begin(run);
    else this.#checkFirst(run);
  }

  abort(call: number, reason: string): void {
    const run = this.#runs.get(call);
    if (run === undefined) return;
    run.isAborted = true;
    if (run.phase === 'running') this.#inner?.abort(call, reason);
    else if (run.phase === 'waiting') this.#dropRun(run);
  }

  runEnded(run: DurableRun, ending: RunEnding): void {
    const tell = () => {
      this.#runs.delete(run.request.call);
      run.listener.ended(withoutState(ending));
    };
    // Nothing of it has run.
    if (ending.kind === 'refused' && !run.hasBegun) return tell();
    this.#tainted ??= ending.tainted;
    const { journal, environment } = this.#parts;
    const record = toEndRecord(run, ending, { isWhole: journal.isPersistent, durability: environment.durability });
    void journal.append(record, () => run.announce()).then(tell);
  }

  async close(reason: string): Promise<void> {
    this.#isOver = true;
    this.#generation += 1;
    this.#runs.clear();
    for (const { reject } of this.#waiters.splice(0))
      reject(new TiltyardError('session_gone', 'the session has ended'));
    await (this.#inner ?? this.#building)?.close(reason);
  }

  /** A call that is refused runs nothing: its client is told so instead of an id. */
  #checkFirst(run: DurableRun): void {
    if (this.#inner === undefined) this.#announceFirst(run);
    else run.checkIn(this.#inner, () => this.#announceFirst(run));
  }

  /** A client that does not know the id yet would step twice if its connection or the server went away. */
  #announceFirst(run: DurableRun): void {
    run.phase = 'arriving';
    run.announce();
    // The id is on its way at the end of this turn; the next one is after that. Only then is anything written that would be run again.
    setImmediate(() => setImmediate(() => this.#begin(run)));
  }

  #begin(run: DurableRun): void {
    if (run.effects === 'state') this.#start(run);
    else void this.#beginFirst(run);
  }

  /** What must not be done twice is written down before it is done. */
  async #beginFirst(run: DurableRun): Promise<void> {
    const call = toRecordedCall(run, true);
    await this.#parts.journal.append({ type: 'begin', at: Date.now(), call }, () => run.announce());
    run.hasBegun = true;
    this.#start(run);
  }

  /** Runs it, unless its process is being replaced: then it waits for that. */
  #start(run: DurableRun): void {
    const inner = this.#inner;
    run.phase = 'waiting';
    if (run.isAborted) return this.#dropRun(run);
    if (inner === undefined || this.#isOver) return;
    run.startIn(inner);
  }

  /** Ends a run that nobody wants any more before it runs, or before it runs again. */
  #dropRun(run: DurableRun): void {
    run.phase = 'ended';
    this.runEnded(run, NOT_RUN);
  }

  async #readPrompt(): Promise<WireBlock[]> {
    const { journal } = this.#parts;
    const blocks = await this.#withInner((inner) => inner.prompt());
    await journal.append({ type: 'prompt', at: Date.now(), json: JSON.stringify(blocks) });
    return blocks;
  }

  /** Asks the episode something; once more, when it was built again, if its process ended meanwhile. */
  async #withInner<Value>(ask: (inner: OpenEpisode) => Promise<Value>): Promise<Value> {
    for (;;) {
      const inner = this.#inner ?? (await this.#whenBuilt());
      try {
        return await ask(inner);
      } catch (thrown) {
        // The one it was asked of may be known to be gone only in a later turn.
        await new Promise(setImmediate);
        if (this.#inner === inner || this.#isOver) throw thrown;
      }
    }
  }

  #whenBuilt(): Promise<OpenEpisode> {
    return new Promise((resolve, reject) => void this.#waiters.push({ resolve, reject }));
  }

  async #build(): Promise<void> {
    this.#generation += 1;
    const generation = this.#generation;
    const isStale = () => generation !== this.#generation;
    const { start, open, journal, setupMs } = this.#parts;
    const startedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    try {
      const recollection = recollect(await journal.read());
      if (isStale()) return;
      // Of the author's code: a journal that cannot be reached may take any time.
      timer = setupMs > 0 ? setTimeout(() => isStale() || this.#takesTooLong(), setupMs).unref() : undefined;
      if (recollection.tainted !== undefined) return this.#giveUp(taintedBy(recollection.tainted));
      if (recollection.prompt !== undefined) this.#prompt = Promise.resolve(recollection.prompt);
      const opened = await open({ ...start, past: recollection.past });
      if (isStale()) return void opened.close('it is not wanted any more');
      this.#building = opened;
      this.#follow(opened, { recollection, startedAt, timer });
    } catch (thrown) {
      clearTimeout(timer);
      const error =
        thrown instanceof TiltyardError ? thrown : new TiltyardError('restore_failed', toError(thrown).message);
      if (!isStale()) this.#giveUp(whyNotRebuilt(error));
    }
  }

  #follow(opened: OpenEpisode, building: Building | undefined): void {
    const generation = this.#generation;
    opened.begin(
      (failure, saved) => {
        clearTimeout(building?.timer);
        if (generation === this.#generation) void this.#began(opened, failure, saved, building);
      },
      (loss) => {
        clearTimeout(building?.timer);
        if (generation === this.#generation) this.#lose(loss);
      },
    );
  }

  async #began(
    opened: OpenEpisode,
    failure: Failure | undefined,
    saved: string | undefined,
    building: Building | undefined,
  ): Promise<void> {
    if (failure !== undefined) return this.#failed(failure, building);
    const isNew = building?.recollection.past.saved === undefined;
    if (saved !== undefined && isNew) {
      const generation = this.#generation;
      await this.#parts.journal.append({ type: 'setup', at: Date.now(), saved });
      if (generation !== this.#generation) return;
    }
    this.#building = undefined;
    this.#inner = opened;
    if (building !== undefined) this.#tellRebuilt(building);
    const tell = this.#onReady;
    this.#onReady = undefined;
    tell?.(undefined);
    for (const { resolve } of this.#waiters.splice(0)) resolve(opened);
    for (const run of this.#inOrder()) if (run.phase === 'waiting') this.#start(run);
  }

  /** A setup that fails before anything has happened is its session's own failure, as it is without a journal. */
  #failed(failure: Failure, building: Building | undefined): void {
    const tell = this.#onReady;
    const { past } = building?.recollection ?? {};
    const isFirst = past === undefined || (past.steps.length === 0 && past.saved === undefined);
    if (tell === undefined || !isFirst) return this.#giveUp(whyNotRebuilt(failure));
    this.#onReady = undefined;
    tell(failure);
  }

  #lose({ why, charge }: Loss): void {
    this.#generation += 1;
    this.#inner = undefined;
    this.#building = undefined;
    this.#charges += charge;
    const hopeless = this.#whyHopeless(why);
    if (hopeless !== undefined) return this.#giveUp(hopeless);
    for (const run of this.#inOrder()) {
      if (run.phase === 'checking') this.#announceFirst(run);
      if (run.phase !== 'running') continue;
      run.lose();
      this.#runAgain(run, why);
    }
    void this.#build();
  }

  /** The runs that have not ended, as they came. */
  #inOrder(): DurableRun[] {
    return this.#runs.values().sort((one, other) => one.request.call - other.request.call);
  }

  /** What becomes of a run whose process has ended, by its contract. */
  #runAgain(run: DurableRun, why: string): void {
    if (run.effects === 'state') return this.#start(run);
    if (run.effects === 'idempotent') return void this.#beginFirst(run);
    run.phase = 'ended';
    this.runEnded(run, outcomeUnknown(run.request.name, why));
  }

  #whyHopeless(why: string): WhyLost | undefined {
    const { durability } = this.#parts.environment;
    if (durability === 'none') return { reason: 'worker_lost', words: `the process that ran it has ended: ${why}` };
    if (this.#charges >= MAX_CHARGES)
      return { reason: 'killed_twice', words: `its calls have ended two processes; the last one: ${why}` };
    return this.#tainted === undefined ? undefined : taintedBy(this.#tainted);
  }

  #takesTooLong(): void {
    const { setupMs } = this.#parts;
    if (this.#building !== undefined) return this.#building.giveUpSetup(setupMs);
    this.#giveUp(whyNotRebuilt({ code: 'restore_failed', message: `it took longer than ${setupMs} ms` }));
  }

  #giveUp(why: WhyLost): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#generation += 1;
    const error = toFailureError({ code: 'session_lost', message: `the session was lost: ${why.words}` });
    for (const { reject } of this.#waiters.splice(0)) reject(error);
    this.#onLost({ why: why.words, charge: 0, ...why });
  }

  #tellRebuilt({ recollection, startedAt }: Building): void {
    const { steps } = recollection.past;
    this.#parts.onRebuilt({ steps: steps.length, durationMs: performance.now() - startedAt });
  }
}

interface Building {
  readonly recollection: Recollection;
  readonly startedAt: number;
  readonly timer: NodeJS.Timeout | undefined;
}

// A client may ask for a tool of any name, such as `constructor`.
function effectsOf(effects: Readonly<Record<string, Effects>>, tool: string): Effects {
  return (Object.hasOwn(effects, tool) ? effects[tool] : undefined) ?? 'state';
}

/** Nobody else needs the state, which may be large. */
function withoutState(ending: RunEnding): RunEnding {
  if (ending.saved === undefined) return ending;
  const { saved, ...told } = ending;
  return told as RunEnding;
}

function taintedBy(why: string): WhyLost {
  return { reason: 'tainted', words: `its process has ended, and it cannot be built again since ${why}` };
}
