import { type Failure, TiltyardError, toError, toFailureError } from '../core/index.ts';
import {
  type EnvironmentManifest,
  type EpisodeStart,
  type Loss,
  type OpenEpisode,
  type ReadyListener,
  type RunEnding,
  type WhyLost,
  whyNotRebuilt,
} from '../sessions/index.ts';
import { hasRun } from './end-record.ts';
import { type Recollection, recollect } from './past.ts';
import type { SessionJournal } from './session-journal.ts';
import type { SuspectTurns } from './suspect-turns.ts';
import { Suspicion } from './suspicion.ts';

/** What an episode is built from, in each of its processes. */
export interface IncarnationParts {
  readonly environment: Pick<EnvironmentManifest, 'durability'>;
  readonly start: EpisodeStart;
  readonly journal: SessionJournal;
  /** Opens it once more, wherever there is room. */
  readonly open: (start: EpisodeStart) => Promise<OpenEpisode>;
  /** How long it may take to be built again; 0: any time. */
  readonly setupMs: number;
  /** Shared with the other episodes of the server. */
  readonly turns: SuspectTurns;
  /** Hears that it was built again. */
  readonly onRebuilt: (rebuilt: Rebuilt) => void;
}

/** How an episode was built again. */
export interface Rebuilt {
  /** How many of its calls and prompts were run again. */
  readonly steps: number;
  readonly durationMs: number;
}

/** Whose incarnations they are. */
export interface IncarnationsOwner {
  /** Why it cannot be built again, if something that happened in it forbids that. */
  readonly tainted: string | undefined;
  /** Whether there are calls that an end of its process has cut off, and that have not ended since. */
  readonly isRepeating: boolean;
  /** It is being built again, from this. */
  recollected(recollection: Recollection): void;
  /** It can be used, in its first process or in another. */
  ready(): void;
  /** Its process has ended, and it will be built again. */
  processEnded(why: string): void;
}

interface Waiter {
  resolve(episode: OpenEpisode): void;
  reject(error: TiltyardError): void;
}

/**
 * The episode in one process after another: when one ends, it is built again from its journal in the next, until that is hopeless.
 */
export class Incarnations {
  readonly #parts: IncarnationParts;
  readonly #owner: IncarnationsOwner;
  /** The episode in its process; undefined while it is being built. */
  #inner: OpenEpisode | undefined;
  /** The same before it is ready. */
  #building: OpenEpisode | undefined;
  /** What came of a former process is not heard. */
  #generation = 0;
  #waiters: Waiter[] = [];
  #onReady: ReadyListener | undefined;
  #onLost: (loss: Loss) => void = () => {};
  readonly #suspicion: Suspicion;
  #isOver = false;

  /** `opened` is the first one; without it, it is built from its journal. */
  constructor(parts: IncarnationParts, owner: IncarnationsOwner, opened: OpenEpisode | undefined) {
    this.#parts = parts;
    this.#owner = owner;
    this.#building = opened;
    this.#suspicion = new Suspicion(parts.turns);
  }

  /** The one that can be used now, if there is one. */
  get current(): OpenEpisode | undefined {
    return this.#isOver ? undefined : this.#inner;
  }

  /** `onReady` is called once, by the first that is ready; `onLost` when there will be none any more. */
  begin(onReady: ReadyListener, onLost: (loss: Loss) => void = () => {}): void {
    this.#onReady = onReady;
    this.#onLost = onLost;
    if (this.#building === undefined) void this.#build();
    else this.#follow(this.#building, undefined);
  }

  giveUpSetup(limitMs: number): void {
    this.#building?.giveUpSetup(limitMs);
  }

  /** Asks the episode something; once more, when it was built again, if its process ended meanwhile. */
  async ask<Value>(question: (inner: OpenEpisode) => Promise<Value>): Promise<Value> {
    for (;;) {
      const inner = this.#inner ?? (await this.#whenBuilt());
      try {
        return await question(inner);
      } catch (thrown) {
        // The one it was asked of may be known to be gone only in a later turn.
        await new Promise(setImmediate);
        if (this.#inner === inner || this.#isOver) throw thrown;
      }
    }
  }

  /** A call has ended: if it was the last one that had been cut off, other suspects go on. */
  runEnded(ending: RunEnding): void {
    if (this.#suspicion.isEmpty || this.#owner.isRepeating) return;
    if (hasRun(ending)) this.#suspicion.clear();
    else this.#suspicion.endTurn();
  }

  async close(reason: string): Promise<void> {
    this.#end(new TiltyardError('session_gone', 'the session has ended'));
    await (this.#inner ?? this.#building)?.close(reason);
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
      this.#owner.recollected(recollection);
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
    this.#owner.ready();
    if (!this.#owner.isRepeating) this.#suspicion.endTurn();
  }

  /** A setup that fails before anything has happened is its session's own failure, as it is without a journal. */
  #failed(failure: Failure, building: Building | undefined): void {
    const tell = this.#onReady;
    const { past } = building?.recollection ?? {};
    const isFirst = past === undefined || (past.steps.length === 0 && past.saved === undefined);
    if (tell === undefined || !isFirst) return this.#giveUp(whyNotRebuilt(failure));
    this.#onReady = undefined;
    this.#suspicion.endTurn();
    tell(failure);
  }

  #lose(loss: Loss): void {
    const { words, processEnd = words, charge } = loss;
    this.#generation += 1;
    this.#inner = undefined;
    this.#building = undefined;
    this.#suspicion.add(charge);
    const hopeless = this.#whyHopeless(loss, processEnd);
    if (hopeless !== undefined) return this.#giveUp(hopeless);
    this.#owner.processEnded(processEnd);
    this.#suspicion.whenItsTurn(charge, () => void this.#build());
  }

  #whyHopeless(loss: Loss, processEnd: string): WhyLost | undefined {
    if (this.#parts.environment.durability === 'none') return loss;
    if (this.#suspicion.isHopeless)
      return { reason: 'killed_twice', words: `its calls have ended two processes; the last one: ${processEnd}` };
    const { tainted } = this.#owner;
    return tainted === undefined ? undefined : taintedBy(tainted);
  }

  #takesTooLong(): void {
    const { setupMs } = this.#parts;
    if (this.#building !== undefined) return this.#building.giveUpSetup(setupMs);
    this.#giveUp(whyNotRebuilt({ code: 'restore_failed', message: `it took longer than ${setupMs} ms` }));
  }

  #giveUp(why: WhyLost): void {
    if (this.#isOver) return;
    this.#end(toFailureError({ code: 'session_lost', message: `the session was lost: ${why.words}` }));
    this.#onLost({ ...why, charge: 0 });
  }

  /** From now on nothing is built, and nothing is heard of what was; those who wait are told why. */
  #end(why: TiltyardError): void {
    this.#isOver = true;
    this.#generation += 1;
    this.#suspicion.endTurn();
    for (const { reject } of this.#waiters.splice(0)) reject(why);
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

function taintedBy(why: string): WhyLost {
  return { reason: 'tainted', words: `its process has ended, and it cannot be built again since ${why}` };
}
