import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { EnvironmentClient, Fetch } from '../client/index.ts';
import { redactWhole, type Secrets } from '../core/index.ts';
import type { ChosenAgent } from './agents/choose-agent.ts';
import type { EpisodeLine } from './folder/episode-line.ts';
import type { PlannedEpisode } from './folder/plan-file.ts';
import type { RunFolder } from './folder/run-folder.ts';
import { Model } from './models/model.ts';
import { parseModel } from './models/model-name.ts';
import type { RolloutOptions } from './options.ts';
import { Halt } from './outcome/halt.ts';
import { scoreOf } from './outcome/reward.ts';
import { STOPS } from './outcome/stops.ts';
import { type AttemptContext, playAttempt } from './play/attempt.ts';
import { priceOf } from './price.ts';
import { Progress } from './progress.ts';
import { type RunState, readPlan } from './run-state.ts';
import { Budget, type BudgetKind } from './schedule/budget.ts';
import { AdaptiveConcurrency, type Concurrency, fixedConcurrency } from './schedule/concurrency.ts';
import { runPool } from './schedule/pool.ts';
import { toDelay } from './schedule/timer.ts';

/** How a run ended, and why in words if it did not play everything. */
export interface RunEnding {
  /** `complete`: every episode was played to its end. `incomplete`: some failed each time. The others stopped the run early. */
  readonly status: 'complete' | 'incomplete' | 'interrupted' | 'budget' | 'refused';
  readonly detail: string | null;
  /** Which budget is spent, where one stopped the run. */
  readonly budget?: BudgetKind;
}

/** A run that is ready to be played. */
export interface ReadyRun {
  readonly folder: RunFolder;
  readonly state: RunState;
  readonly environment: EnvironmentClient;
  readonly chosen: ChosenAgent;
  readonly options: RolloutOptions;
  /** What must be in no file, beside the key of the model. */
  readonly hidden: Secrets;
  readonly signal: AbortSignal;
  /** What models are asked with. */
  readonly fetch: Fetch;
}

const DEFAULT_CONCURRENCY = 16;
const DEFAULT_RETRIES = 2;

/** Plays every episode that is owed, until all are played or something stops the run. */
export async function playAll(ready: ReadyRun): Promise<RunEnding> {
  const { state, folder, options, signal } = ready;
  using stopping = new Stopping(signal, options.budgetMs);
  const concurrency = toConcurrency(options.concurrency);
  const budget = toBudget(options, state);
  const context = toContext(ready, { budget, concurrency, signal: stopping.signal });
  const progress = new Progress(state);
  const hidden = { ...ready.hidden, ...context.model?.secrets };
  const player: Player = { ready, context, hidden, progress, stopping };
  options.onStart?.(progress);
  await runPool({
    jobs: owed(folder.path, state, budget),
    concurrency,
    signal: stopping.signal,
    async run(planned) {
      progress.active += 1;
      progress.limit = concurrency.limit;
      try {
        await playEpisode(planned, player);
      } finally {
        progress.active -= 1;
      }
    },
  });
  return toEnding(state, stopping, budget);
}

async function* owed(folder: string, state: RunState, budget: Budget): AsyncGenerator<PlannedEpisode, void> {
  for await (const planned of readPlan(folder, state.run.selection)) {
    if (budget.exhausted !== undefined) return;
    if (state.isOwed(planned)) yield planned;
  }
}

interface Player {
  readonly ready: ReadyRun;
  readonly context: AttemptContext;
  /** What must be in no file. */
  readonly hidden: Secrets;
  readonly progress: Progress;
  readonly stopping: Stopping;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** Plays an episode, again if it failed for no fault of the agent. */
async function playEpisode(planned: PlannedEpisode, player: Player): Promise<void> {
  const { context, progress, stopping } = player;
  const { retries = DEFAULT_RETRIES } = player.ready.options;
  let last = 0;
  for (let tries = 0; tries <= retries; tries += 1) {
    if (tries > 0 && !(await pause(tries, context.signal))) return;
    const line = await playOnce(planned, last + 1, player);
    last = line.attempt;
    progress.ended(line);
    const { next, stopsRun } = STOPS[line.stop];
    if (stopsRun) stopping.refuse(line.detail ?? line.stop);
    if (next !== 'retry' || context.signal.aborted) return;
  }
}

/** Waits before another attempt; false if the run stops meanwhile. */
async function pause(tries: number, signal: AbortSignal): Promise<boolean> {
  const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
  return wait(ms, true, { signal }).catch(() => false);
}

async function playOnce(
  planned: PlannedEpisode,
  from: number,
  { ready, context, hidden }: Player,
): Promise<EpisodeLine> {
  const { folder, state } = ready;
  const { attempt, record } = folder.openRecord(planned, from, hidden);
  await using _record = record;
  const { stop, detail, usd, ...played } = await playAttempt({ planned, attempt }, record, context);
  const { outcome, fault } = STOPS[stop];
  await record.finish({ type: 'end', outcome, stop, fault, ms: played.ms });
  const { episode, split, index, repeat, taskHash } = planned;
  const line: EpisodeLine = {
    ...{ episode, split, index, repeat, taskHash, attempt, outcome, stop, fault },
    reward: scoreOf(stop, played.rewards, state.run.identity.scoring),
    ...played,
    ...(usd === 0 ? {} : { usd }),
    ...(detail === undefined ? {} : { detail: redactWhole(detail, hidden) }),
  };
  folder.addEnded(line);
  return line;
}

function toContext(
  { environment, chosen, options, state, fetch }: ReadyRun,
  { budget, concurrency, signal }: { budget: Budget; concurrency: Concurrency; signal: AbortSignal },
): AttemptContext {
  const { model, parameters, system, secrets = {} } = options;
  const { seed, limits } = state.run.identity;
  const { agent, name, isOracle } = chosen;
  return {
    ...{ environment, agent, isOracle, seed, limits, secrets, budget, signal },
    agentName: model === undefined ? name : `${name} ${model}`,
    model: model === undefined ? undefined : new Model(parseModel(model), { parameters, system }, concurrency, fetch),
    tags: state.run.tags,
  };
}

function toConcurrency(wanted: number | 'auto' = DEFAULT_CONCURRENCY): Concurrency {
  return wanted === 'auto' ? new AdaptiveConcurrency() : fixedConcurrency(wanted);
}

function toBudget(options: RolloutOptions, { counts }: RunState): Budget {
  const { budgetTokens, budgetUsd } = options;
  const before = { ...counts.tokens, usd: counts.usd };
  return new Budget({ tokens: budgetTokens, usd: budgetUsd }, priceOf(options), before);
}

function toEnding(state: RunState, stopping: Stopping, budget: Budget): RunEnding {
  const { ending } = stopping;
  if (state.done === state.planned) return { status: 'complete', detail: null };
  if (ending !== undefined) return ending;
  const spent = budget.exhausted;
  if (spent !== undefined) return { status: 'budget', ...spent };
  return { status: 'incomplete', detail: `${state.planned - state.done} episodes failed each time they were tried` };
}

/** What stops a run early: somebody, its time, or a model's server that refuses every request. */
class Stopping implements Disposable {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #timer: NodeJS.Timeout | undefined;
  ending: RunEnding | undefined;

  constructor(signal: AbortSignal, budgetMs: number | undefined) {
    this.#outer = signal;
    // One for each episode that is open.
    setMaxListeners(0, this.#controller.signal);
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort);
    if (budgetMs !== undefined) this.#timer = setTimeout(() => this.#late(budgetMs), toDelay(budgetMs));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  refuse(detail: string): void {
    this.#stop({ status: 'refused', detail }, new Halt('interrupted', `the run stopped: ${detail}`));
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#onAbort);
  }

  #late(budgetMs: number): void {
    const detail = `the budget of ${budgetMs} ms is spent`;
    this.#stop({ status: 'budget', detail, budget: 'time' }, new Halt('budget', detail));
  }

  #stop(ending: RunEnding, reason: Halt): void {
    this.ending ??= ending;
    this.#controller.abort(reason);
  }

  readonly #onAbort = (): void =>
    this.#stop(
      { status: 'interrupted', detail: 'the run was interrupted' },
      new Halt('interrupted', 'the run was interrupted'),
    );
}
