import type { JsonObject, WireBlock } from '../../protocol/index.ts';
import type { Divergence, Play, PlayHead, PlayStatus, PlaySubject, Problem, Step, WireExchange } from '../api.ts';
import { toProblem } from '../shared/client-problem.ts';
import { Listeners } from '../shared/listeners.ts';
import { mask } from '../shared/mask.ts';
import { conflict, notFound } from '../shared/refusal.ts';
import type { TargetLink } from '../targets/target-link.ts';
import { promptDivergences } from './divergences.ts';
import { openStage, type Stage } from './stage.ts';
import { StepRun } from './step-run.ts';
import { WireLog } from './wire-log.ts';

/** What a play is about. */
export interface PlayOptions {
  readonly id: string;
  readonly link: TargetLink;
  readonly subject: PlaySubject;
  readonly secrets: Readonly<Record<string, string>>;
  /** What it is a branch of: the play, and how many of its steps are played again. */
  readonly origin?: { readonly play: PlaySession; readonly keep: number } | undefined;
}

/** What has changed: one step, or anything. */
export type PlayChange = Step | undefined;

const SESSION_GONE: ReadonlySet<number> = new Set([404, 410]);
const MOST_STEPS = 2_000;

/** An episode that a person plays, with all its steps. */
export class PlaySession {
  readonly changes: Listeners<PlayChange> = new Listeners();
  readonly options: PlayOptions;
  readonly #wire: WireLog;
  readonly #secrets: Readonly<Record<string, string>>;
  readonly #createdAt = Date.now();
  readonly #over = new AbortController();
  readonly #unfollow: () => void;
  readonly #runs: StepRun[] = [];
  /** As they were sent: the steps show them without secrets. */
  readonly #inputs: JsonObject[] = [];
  #status: PlayStatus = 'starting';
  #stage: Stage | undefined;
  #prompt: readonly WireBlock[] | null = null;
  #promptDivergences: readonly Divergence[] = [];
  #problem: Problem | null = null;

  constructor(options: PlayOptions) {
    this.options = options;
    this.#unfollow = this.#followServer(options.link);
    this.#secrets = { ...options.secrets, ...options.link.secrets };
    this.#wire = new WireLog(this.#secrets);
  }

  /** Opens the session, and plays again what it is a branch of; resolves when it is the person's turn. */
  async start(): Promise<void> {
    const { link, subject, secrets, origin } = this.options;
    try {
      const fetch = this.#wire.fetch((path, status) => this.#heard(path, status));
      const stage = await openStage(subject, { link, secrets, fetch, signal: this.#over.signal });
      if (this.#over.signal.aborted) return await stage.close();
      this.#stage = stage;
      this.#prompt = mask(stage.prompt, this.#secrets);
      this.#promptDivergences = promptDivergences(origin?.play.prompt ?? null, this.#prompt);
    } catch (thrown) {
      if (!this.#over.signal.aborted)
        this.#change('failed', mask(toProblem(thrown, link.options.toMessage), this.#secrets));
      return;
    }
    if (origin !== undefined) await this.#replay(origin.play.steps.slice(0, origin.keep), origin.play);
    if (this.#status === 'starting' || this.#status === 'replaying') this.#change('ready');
  }

  get prompt(): readonly WireBlock[] | null {
    return this.#prompt;
  }

  get steps(): readonly Step[] {
    return this.#runs.map(({ step }) => step);
  }

  toHead(): PlayHead {
    const { id, link, subject, origin } = this.options;
    const rewards = this.steps.flatMap(({ result }) => result?.reward ?? []);
    const differing = this.steps.filter(({ divergences }) => divergences.length > 0).length;
    return {
      id,
      target: link.id,
      subject: mask(subject, this.#secrets),
      parent: origin === undefined ? null : { play: origin.play.options.id, keep: origin.keep },
      status: this.#status,
      createdAt: this.#createdAt,
      stepCount: this.#runs.length,
      total: rewards.length === 0 ? null : rewards.reduce((sum, reward) => sum + reward, 0),
      divergences: differing + Number(this.#promptDivergences.length > 0),
      problem: this.#problem,
    };
  }

  toJSON(): Play {
    return {
      ...this.toHead(),
      sid: this.#stage?.sid ?? null,
      prompt: this.#prompt,
      promptDivergences: this.#promptDivergences,
      tools: this.#stage?.tools ?? [],
      secrets: Object.keys(this.options.secrets),
      steps: this.steps,
    };
  }

  /** Begins a call. */
  call(tool: string, input: JsonObject): Step {
    if (this.#status !== 'ready')
      throw conflict(`no call can be made: the play is ${this.#status}`, ADVICE[this.#status]);
    return this.#run(tool, input, null).step;
  }

  cancel(n: number): Step {
    const run = this.#find(n);
    run.cancel();
    return run.step;
  }

  /** What a step was sent, secrets included: it is sent again, and shown to nobody. */
  inputOf(n: number): JsonObject {
    return this.#inputs[n] ?? {};
  }

  wireOf(n: number): readonly WireExchange[] {
    return this.#find(n).log;
  }

  /** Ends the session; what was played stays. */
  async end(): Promise<void> {
    if (this.#status === 'starting' || this.#status === 'replaying' || this.#status === 'ready') this.#change('ended');
    await this.#leave();
  }

  #find(n: number): StepRun {
    const run = this.#runs[n];
    if (run === undefined) throw notFound('step', String(n));
    return run;
  }

  #run(tool: string, input: JsonObject, before: Step | null): StepRun {
    const stage = this.#stage;
    if (stage === undefined) throw conflict('the session is not open yet');
    if (this.#runs.length >= MOST_STEPS) throw conflict(`a play has at most ${MOST_STEPS} steps`);
    const place = { stage, wire: this.#wire, secrets: this.#secrets, toMessage: this.options.link.options.toMessage };
    const run = new StepRun({ n: this.#runs.length, tool, input, before }, place, () => this.#stepEnded(run));
    this.#runs.push(run);
    this.#inputs.push(input);
    this.changes.tell(run.step);
    return run;
  }

  #stepEnded({ step }: StepRun): void {
    if (step.result?.finished === true) this.#finish();
    else if (step.problem?.kind === 'session') this.#lose(step.problem);
    this.changes.tell(step);
  }

  async #replay(steps: readonly Step[], origin: PlaySession): Promise<void> {
    this.#change('replaying');
    for (const before of steps) {
      const run = this.#run(before.tool, origin.inputOf(before.n), before);
      await run.ended;
      if (this.#status !== 'replaying') return;
    }
  }

  /** The episode is over: nothing more can be done in its session. */
  #finish(): void {
    this.#change('finished');
    void this.#leave();
  }

  #lose(problem: Problem): void {
    if (this.#status === 'ready' || this.#status === 'replaying') this.#change('lost', problem);
  }

  /** A server that was away may have lost the session, and a person should know that before the next call. */
  #followServer(link: TargetLink): () => void {
    let { reconnects } = link.toJSON();
    return link.changes.add(() => {
      const now = link.toJSON().reconnects;
      if (now !== reconnects) void this.#stage?.ping();
      reconnects = now;
    });
  }

  /** The client keeps the session alive by itself; this hears whether it still is. */
  #heard(path: string, status: number): void {
    if (!path.endsWith('/ping') || !SESSION_GONE.has(status)) return;
    this.#lose({
      kind: 'session',
      code: null,
      message: 'the session is no longer there: it expired, was deleted, or its server has restarted',
      advice: 'Play it again: the same calls are made in a new session.',
      status,
    });
  }

  #change(status: PlayStatus, problem: Problem | null = null): void {
    this.#status = status;
    this.#problem = problem;
    this.changes.tell(undefined);
  }

  async #leave(): Promise<void> {
    this.#unfollow();
    this.#over.abort();
    for (const run of this.#runs) run.cancel();
    await this.#stage?.close();
  }
}

const ADVICE: Readonly<Record<PlayStatus, string | null>> = {
  starting: 'Wait until its setup is over.',
  replaying: 'Wait until the calls before it are played again.',
  ready: null,
  finished: 'The episode has finished. Go on from an earlier step, or start a new one.',
  ended: 'You ended it. Go on from one of its steps, or start a new one.',
  lost: 'Its session is gone. Play it again: the same calls are made in a new session.',
  failed: 'It could not be started. Start a new one.',
};
