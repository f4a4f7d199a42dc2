import { type Effects, FewMap } from '../core/index.ts';
import type { ToolSpec, WireBlock } from '../protocol/index.ts';
import {
  type EnvironmentManifest,
  type Loss,
  NOT_RUN,
  type OpenEpisode,
  type ReadyListener,
  type RunEnding,
  type RunListener,
  type RunRequest,
} from '../sessions/index.ts';
import { DurableRun, type RunOwner } from './durable-run.ts';
import { outcomeUnknown, toEndRecord, toRecordedCall } from './end-record.ts';
import { type IncarnationParts, Incarnations, type IncarnationsOwner } from './incarnations.ts';
import type { Recollection } from './past.ts';

/** What an episode is made from that outlives the process that runs it. */
export interface DurableParts extends IncarnationParts {
  readonly environment: Pick<EnvironmentManifest, 'name' | 'durability' | 'effects'>;
}

/**
 * An episode that outlives its process: what happens in it is written down before it is told, and when its process ends, it is built
 * again from that. Its session hears nothing of it, except that things take longer.
 */
export class DurableEpisode implements OpenEpisode, RunOwner, IncarnationsOwner {
  readonly environment: string;
  readonly needsSetup: boolean;
  readonly taskDigest: string | undefined;
  tainted: string | undefined;
  readonly #parts: DurableParts;
  readonly #incarnations: Incarnations;
  /** Those that have not ended, by the numbers of their calls. */
  readonly #runs = new FewMap<number, DurableRun>();
  #prompt: Promise<WireBlock[]> | undefined;
  /** Whether runs wait for a prompt to be read. */
  #isPrompting = false;
  /** Called when no run is under way. */
  #onIdle: (() => void) | undefined;

  /** `opened` is the episode of a new session; without it, it is built from its journal. */
  constructor(parts: DurableParts, opened?: OpenEpisode) {
    this.environment = parts.environment.name;
    this.needsSetup = opened?.needsSetup ?? true;
    this.taskDigest = opened?.taskDigest;
    this.#parts = parts;
    this.#incarnations = new Incarnations(parts, this, opened);
  }

  begin(onReady: ReadyListener, onLost?: (loss: Loss) => void): void {
    this.#incarnations.begin(onReady, onLost);
  }

  giveUpSetup(limitMs: number): void {
    this.#incarnations.giveUpSetup(limitMs);
  }

  prompt(): Promise<WireBlock[]> {
    this.#prompt ??= this.#readPrompt().catch((thrown) => {
      this.#prompt = undefined;
      throw thrown;
    });
    return this.#prompt;
  }

  async tools(): Promise<readonly ToolSpec[]> {
    return this.#incarnations.ask(async (inner) => inner.tools());
  }

  run(request: RunRequest, listener: RunListener): void {
    const { durability, effects } = this.#parts.environment;
    const run = new DurableRun(this, request, effectsOf(effects, request.name), listener);
    this.#runs.set(request.call, run);
    if (durability === 'none') this.#start(run);
    else if (request.isIdKnown) this.#begin(run);
    else if (request.takesRefusalLate) this.#announceFirst(run);
    else this.#checkFirst(run);
  }

  abort(call: number, reason: string): void {
    const run = this.#runs.get(call);
    if (run === undefined) return;
    run.isAborted = true;
    if (run.phase === 'running') this.#incarnations.current?.abort(call, reason);
    else if (run.phase === 'waiting') this.#dropRun(run);
  }

  runEnded(run: DurableRun, ending: RunEnding): void {
    const tell = () => {
      this.#runs.delete(run.request.call);
      this.#incarnations.runEnded(ending);
      run.listener.ended(withoutState(ending));
      if (this.#onIdle !== undefined && !this.#isBusy) this.#onIdle();
    };
    // Nothing of it has run.
    if (ending.kind === 'refused' && !run.hasBegun) return tell();
    this.tainted ??= ending.tainted?.words;
    const { journal, environment } = this.#parts;
    const record = toEndRecord(run, ending, { isWhole: journal.isPersistent, durability: environment.durability });
    void journal.append(record, () => run.announce()).then(tell);
  }

  get isRepeating(): boolean {
    return this.#runs.values().some(({ wasCutOff }) => wasCutOff);
  }

  recollected({ prompt }: Recollection): void {
    if (prompt !== undefined) this.#prompt = Promise.resolve(prompt);
  }

  ready(): void {
    for (const run of this.#inOrder()) if (run.phase === 'waiting') this.#start(run);
  }

  processEnded(why: string): void {
    for (const run of this.#inOrder()) {
      if (run.phase === 'checking') this.#announceFirst(run);
      if (run.phase !== 'running') continue;
      run.lose();
      this.#runAgain(run, why);
    }
  }

  async close(reason: string): Promise<void> {
    this.#runs.clear();
    await this.#incarnations.close(reason);
  }

  /** A call that is refused runs nothing: its client is told so instead of an id. */
  #checkFirst(run: DurableRun): void {
    const { current } = this.#incarnations;
    if (current === undefined) this.#announceFirst(run);
    else run.checkIn(current, () => this.#announceFirst(run));
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
    const { current } = this.#incarnations;
    run.phase = 'waiting';
    if (run.isAborted) return this.#dropRun(run);
    if (current !== undefined && !this.#isPrompting) run.startIn(current);
  }

  /** Ends a run that nobody wants any more before it runs, or before it runs again. */
  #dropRun(run: DurableRun): void {
    run.phase = 'ended';
    this.runEnded(run, NOT_RUN);
  }

  /** A prompt may show the state. Where both are run again, it is read between calls, so that it shows the same once more. */
  async #readPrompt(): Promise<WireBlock[]> {
    const { journal, environment } = this.#parts;
    this.#isPrompting = environment.durability === 'replay';
    try {
      if (this.#isPrompting && this.#isBusy) await new Promise<void>((resolve) => (this.#onIdle = resolve));
      const blocks = await this.#incarnations.ask((inner) => inner.prompt());
      await journal.append({ type: 'prompt', at: Date.now(), json: JSON.stringify(blocks) });
      return blocks;
    } finally {
      this.#isPrompting = false;
      this.#onIdle = undefined;
      this.ready();
    }
  }

  /** Whether a run is under way, or its end is being written down. */
  get #isBusy(): boolean {
    return this.#runs.values().some(({ phase }) => phase === 'running' || phase === 'ended');
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
