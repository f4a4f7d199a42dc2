import { Counter, Gauge, Registry } from 'prom-client';
import { CALL_OUTCOMES, type CallOutcome, EPISODE_OUTCOMES, type EpisodeOutcome } from '../../core/index.ts';
import { type CallEnded, Counts, type HostEvent, type Observer, type SessionEnded } from '../../sessions/index.ts';
import { publishDescriptors } from './descriptors.ts';
import { DURATIONS, Histogram, publishHistogram, REWARDS } from './histogram.ts';
import { EventLoopLag, publishProcess } from './process-metrics.ts';
import type { RequestCounts } from './request-counts.ts';
import { RunningCalls } from './running-calls.ts';
import { publishSessionLimits, type SessionLimits } from './session-limits.ts';
import { UncaughtErrors } from './uncaught-errors.ts';

interface EnvironmentNumbers {
  live: number;
  readonly ended: Record<EpisodeOutcome, number>;
  readonly setups: Histogram;
  readonly rewards: Histogram;
}

interface ToolNumbers {
  readonly ended: Record<CallOutcome, number>;
  readonly durations: Histogram;
}

interface Running {
  readonly count: number;
  /** How long ago the oldest one came. */
  readonly oldestMs: number;
}

const NONE_RUNNING: Running = { count: 0, oldestMs: 0 };

/** What a server shows besides what is observed. */
export interface MetricsOptions {
  readonly requests?: RequestCounts;
  readonly running?: RunningCalls;
  /** Undefined where there are no sessions. */
  readonly limits?: SessionLimits | undefined;
}

/**
 * The numbers of one server. They are plain ones, which a call changes in some ns; prom-client gets them when it is asked,
 * because its own would look up their labels each time. All labels come from the catalog, so there are only so many.
 */
export class Metrics implements Observer {
  readonly #registry = new Registry();
  readonly #lag = new EventLoopLag(this.#registry);
  readonly #uncaught = new UncaughtErrors(this.#registry);
  readonly #environments = new Map<string, EnvironmentNumbers>();
  /** By environment; '' has the tools of toolkits. */
  readonly #tools = new Map<string, Map<string, ToolNumbers>>();
  readonly #running: RunningCalls;
  /** The live sessions of each identity that is known. */
  readonly #owned = new Counts();
  #liveSessions = 0;
  #waitingCalls = 0;
  #isStopping = false;

  constructor({ requests, running = new RunningCalls(), limits }: MetricsOptions = {}) {
    this.#running = running;
    if (limits !== undefined) publishSessionLimits(this.#registry, limits, this.#owned);
    this.#publishSessions();
    this.#publishCalls();
    this.#publishRunning();
    requests?.publish(this.#registry);
    this.#publishStopping();
    publishProcess(this.#registry, () => this.#liveSessions);
    publishDescriptors(this.#registry);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics, in the text format of Prometheus. */
  read(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Shows environments before their first session ends, so that rates see that as well. */
  expect(environmentNames: readonly string[]): void {
    for (const name of environmentNames) this.#environment(name);
  }

  /** Shows that the server stops. */
  stopping(): void {
    this.#isStopping = true;
  }

  /** Begins to measure what nobody tells of. */
  start(): void {
    this.#lag.start();
    this.#uncaught.start();
  }

  /** Measures no more. */
  close(): void {
    this.#lag.close();
    this.#uncaught.close();
  }

  on(event: HostEvent): void {
    switch (event.type) {
      case 'call_started':
        this.#waitingCalls += 1;
        return;
      case 'call_running':
        this.#waitingCalls -= 1;
        return;
      case 'call_ended':
        return this.#callEnded(event);
      case 'session_started':
        this.#liveSessions += 1;
        if (event.identity) this.#owned.add(event.identity);
        this.#environment(event.environment).live += 1;
        return;
      case 'setup_ended':
        return this.#environment(event.environment).setups.add(event.durationMs / 1000);
      case 'session_ended':
        return this.#sessionEnded(event);
    }
  }

  #callEnded({ environment = '', tool, outcome, durationMs, ran }: CallEnded): void {
    if (!ran) this.#waitingCalls -= 1;
    const { ended, durations } = this.#tool(environment, tool);
    ended[outcome] += 1;
    durations.add(durationMs / 1000);
  }

  #sessionEnded({ environment, identity, outcome, reward }: SessionEnded): void {
    const numbers = this.#environment(environment);
    this.#liveSessions -= 1;
    if (identity) this.#owned.remove(identity);
    numbers.live -= 1;
    numbers.ended[outcome] += 1;
    if (reward !== null) numbers.rewards.add(reward);
  }

  #environment(name: string): EnvironmentNumbers {
    let numbers = this.#environments.get(name);
    if (numbers === undefined) {
      numbers = {
        live: 0,
        ended: noCounts(EPISODE_OUTCOMES),
        setups: new Histogram(DURATIONS),
        rewards: new Histogram(REWARDS),
      };
      this.#environments.set(name, numbers);
    }
    return numbers;
  }

  #tool(environment: string, tool: string): ToolNumbers {
    let tools = this.#tools.get(environment);
    if (tools === undefined) {
      tools = new Map();
      this.#tools.set(environment, tools);
    }
    let numbers = tools.get(tool);
    if (numbers === undefined) {
      numbers = { ended: noCounts(CALL_OUTCOMES), durations: new Histogram(DURATIONS) };
      tools.set(tool, numbers);
    }
    return numbers;
  }

  /** Of each tool that was ever called, what runs of it. */
  #runningByTool(): (readonly [labels: { environment: string; tool: string }, running: Running])[] {
    const found = new Map<ToolNumbers, Running>();
    const now = performance.timeOrigin + performance.now();
    for (const { environment = '', tool, at } of this.#running.all()) {
      const numbers = this.#tool(environment, tool);
      const { count, oldestMs } = found.get(numbers) ?? { count: 0, oldestMs: now - at };
      found.set(numbers, { count: count + 1, oldestMs });
    }
    return Array.from(eachTool(this.#tools), ([labels, numbers]) => [labels, found.get(numbers) ?? NONE_RUNNING]);
  }

  #publishSessions(): void {
    const environments = this.#environments;
    const registers = [this.#registry];
    new Gauge({
      name: 'tiltyard_sessions_live',
      help: 'Sessions that have begun and not ended, teardown included.',
      labelNames: ['environment'],
      registers,
      collect() {
        for (const [environment, { live }] of environments) this.set({ environment }, live);
      },
    });
    new Counter({
      name: 'tiltyard_sessions_ended_total',
      help: 'Sessions that have ended, by the outcome of their episode.',
      labelNames: ['environment', 'outcome'],
      registers,
      collect() {
        this.reset();
        for (const [environment, { ended }] of environments) {
          for (const outcome of EPISODE_OUTCOMES) this.inc({ environment, outcome }, ended[outcome]);
        }
      },
    });
    publishHistogram(this.#registry, {
      name: 'tiltyard_setup_duration_seconds',
      help: 'How long setups took, failed and cancelled ones included.',
      read: () => Array.from(environments, ([environment, { setups }]) => [{ environment }, setups] as const),
    });
    publishHistogram(this.#registry, {
      name: 'tiltyard_episode_reward',
      help: 'What episodes paid in all, of those whose steps said anything of a reward.',
      read: () => Array.from(environments, ([environment, { rewards }]) => [{ environment }, rewards] as const),
    });
  }

  #publishCalls(): void {
    const tools = this.#tools;
    const waiting = () => this.#waitingCalls;
    const registers = [this.#registry];
    new Counter({
      name: 'tiltyard_calls_total',
      help: 'Calls that have ended, by outcome. Tools of toolkits have no environment.',
      labelNames: ['environment', 'tool', 'outcome'],
      registers,
      collect() {
        this.reset();
        for (const [{ environment, tool }, { ended }] of eachTool(tools)) {
          for (const outcome of CALL_OUTCOMES)
            if (ended[outcome] > 0) this.inc({ environment, tool, outcome }, ended[outcome]);
        }
      },
    });
    publishHistogram(this.#registry, {
      name: 'tiltyard_call_duration_seconds',
      help: 'How long calls took from their arrival, waiting for setup and for their turn included.',
      read: () => Array.from(eachTool(tools), ([labels, { durations }]) => [labels, durations] as const),
    });
    new Gauge({
      name: 'tiltyard_calls_waiting',
      help: 'Calls that wait for setup or for their turn.',
      registers,
      collect() {
        this.set(waiting());
      },
    });
  }

  #publishStopping(): void {
    const isStopping = () => this.#isStopping;
    new Gauge({
      name: 'tiltyard_stopping',
      help: '1 while the server stops, otherwise 0.',
      registers: [this.#registry],
      collect() {
        this.set(isStopping() ? 1 : 0);
      },
    });
  }

  #publishRunning(): void {
    const read = () => this.#runningByTool();
    const labelNames = ['environment', 'tool'] as const;
    const registers = [this.#registry];
    new Gauge({
      name: 'tiltyard_calls_running',
      help: 'Calls whose tool was started and has not ended.',
      labelNames,
      registers,
      collect() {
        for (const [labels, { count }] of read()) this.set(labels, count);
      },
    });
    new Gauge({
      name: 'tiltyard_call_oldest_seconds',
      help: 'How long ago the oldest running call of a tool came; 0 where none runs.',
      labelNames,
      registers,
      collect() {
        for (const [labels, { oldestMs }] of read()) this.set(labels, oldestMs / 1000);
      },
    });
  }
}

function noCounts<Outcome extends string>(outcomes: readonly Outcome[]): Record<Outcome, number> {
  return Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
}

function* eachTool(
  byEnvironment: ReadonlyMap<string, ReadonlyMap<string, ToolNumbers>>,
): Generator<readonly [labels: { environment: string; tool: string }, numbers: ToolNumbers]> {
  for (const [environment, tools] of byEnvironment) {
    for (const [tool, numbers] of tools) yield [{ environment, tool }, numbers];
  }
}
