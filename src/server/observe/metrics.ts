import { Counter, Gauge, Registry } from 'prom-client';
import { CALL_OUTCOMES, EPISODE_OUTCOMES } from '../../core/index.ts';
import type { ClusterNumbers } from './cluster-metrics.ts';
import { publishDescriptors } from './descriptors.ts';
import { publishDurability } from './durability-metrics.ts';
import { publishHistogram } from './histogram.ts';
import { type MemoryNumbers, publishMemory } from './memory-metrics.ts';
import { Numbers, type ToolNumbers } from './numbers.ts';
import { EventLoopLag, publishProcess } from './process-metrics.ts';
import { publishRecording, type RecordingNumbers } from './recording-metrics.ts';
import type { RequestCounts } from './request-counts.ts';
import { publishSessionLimits, type SessionLimits } from './session-limits.ts';
import { UncaughtErrors } from './uncaught-errors.ts';
import type { Blocks } from './watchdog/blocks.ts';
import { publishWorkers, type WorkerNumbers } from './worker-metrics.ts';

interface Running {
  readonly count: number;
  /** How long ago the oldest one began. */
  readonly oldestMs: number;
}

const NONE_RUNNING: Running = { count: 0, oldestMs: 0 };

/** What a server shows. */
export interface MetricsOptions {
  readonly numbers?: Numbers;
  readonly requests?: RequestCounts;
  /** Undefined where there are no sessions. */
  readonly limits?: SessionLimits | undefined;
  readonly memory?: () => MemoryNumbers;
  /** Undefined where there is no watchdog. */
  readonly blocks?: Blocks | undefined;
  /** Undefined where there are no workers. */
  readonly workers?: WorkerNumbers | undefined;
  /** Undefined where nothing is recorded. */
  readonly recording?: RecordingNumbers | undefined;
  /** Undefined where there is no cluster. */
  readonly cluster?: ClusterNumbers | undefined;
}

/** The numbers of one server for Prometheus. prom-client reads them when it is asked: its own would look up their labels each time. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #lag = new EventLoopLag(this.#registry);
  readonly #uncaught = new UncaughtErrors(this.#registry);
  readonly #numbers: Numbers;
  #isStopping = false;

  constructor(options: MetricsOptions = {}) {
    const { numbers = new Numbers(), requests, limits, memory, blocks, workers, recording, cluster } = options;
    this.#numbers = numbers;
    if (limits !== undefined) publishSessionLimits(this.#registry, limits, numbers.owned);
    this.#publishSessions();
    this.#publishCalls();
    this.#publishRunning();
    requests?.publish(this.#registry);
    this.#publishStopping();
    if (memory !== undefined) publishMemory(this.#registry, memory);
    publishProcess(this.#registry, () => numbers.liveSessions);
    publishDescriptors(this.#registry);
    blocks?.publish(this.#registry);
    if (workers !== undefined) publishWorkers(this.#registry, workers);
    if (recording !== undefined) publishRecording(this.#registry, recording);
    cluster?.publish(this.#registry);
    publishDurability(this.#registry, numbers.environments);
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
    for (const name of environmentNames) this.#numbers.environment(name);
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

  /** Of each tool that was ever called, what runs of it. */
  #runningByTool(): (readonly [labels: { environment: string; tool: string }, running: Running])[] {
    const found = new Map<ToolNumbers, Running>();
    const now = performance.timeOrigin + performance.now();
    for (const [call, at] of this.#numbers.running) {
      const tool = this.#numbers.tool(call);
      const { count, oldestMs } = found.get(tool) ?? { count: 0, oldestMs: now - at };
      found.set(tool, { count: count + 1, oldestMs });
    }
    return Array.from(eachTool(this.#numbers.tools), ([labels, tool]) => [labels, found.get(tool) ?? NONE_RUNNING]);
  }

  #publishSessions(): void {
    const { environments } = this.#numbers;
    const registers = [this.#registry];
    new Gauge({
      name: 'tiltyard_sessions_live',
      help: 'Live sessions, including those in teardown.',
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
    new Counter({
      name: 'tiltyard_task_ids_reused_total',
      help: 'Calls whose task_id was used before for another tool or input; they did not run.',
      labelNames: ['environment'],
      registers,
      collect() {
        this.reset();
        for (const [environment, { reusedIds }] of environments) this.inc({ environment }, reusedIds);
      },
    });
    publishHistogram(this.#registry, {
      name: 'tiltyard_setup_duration_seconds',
      help: 'How long setups took, failed and cancelled ones included.',
      read: () => Array.from(environments, ([environment, { setups }]) => [{ environment }, setups] as const),
    });
    publishHistogram(this.#registry, {
      name: 'tiltyard_episode_reward',
      help: 'Total reward of each episode, of those in which a step had a reward.',
      read: () => Array.from(environments, ([environment, { rewards }]) => [{ environment }, rewards] as const),
    });
  }

  #publishCalls(): void {
    const { tools } = this.#numbers;
    const waiting = () => this.#numbers.waitingCalls;
    const registers = [this.#registry];
    new Counter({
      name: 'tiltyard_calls_total',
      help: 'Calls that have ended, by outcome. Tools of toolkits have no environment. Calls over MCP have that as their protocol.',
      labelNames: ['environment', 'tool', 'outcome', 'protocol'],
      registers,
      collect() {
        this.reset();
        for (const [labels, { ended, endedByMcp }] of eachTool(tools)) {
          for (const outcome of CALL_OUTCOMES) {
            if (ended[outcome] > 0) this.inc({ ...labels, outcome }, ended[outcome]);
            if (endedByMcp[outcome] > 0) this.inc({ ...labels, outcome, protocol: 'mcp' }, endedByMcp[outcome]);
          }
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
      help: 'Calls waiting for setup or for their turn.',
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
      help: '1 while the server is stopping, otherwise 0.',
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
      help: 'How long the oldest running call of a tool has been running; 0 where none runs.',
      labelNames,
      registers,
      collect() {
        for (const [labels, { oldestMs }] of read()) this.set(labels, oldestMs / 1000);
      },
    });
  }
}

function* eachTool(
  byEnvironment: ReadonlyMap<string, ReadonlyMap<string, ToolNumbers>>,
): Generator<readonly [labels: { environment: string; tool: string }, numbers: ToolNumbers]> {
  for (const [environment, tools] of byEnvironment) {
    for (const [tool, numbers] of tools) yield [{ environment, tool }, numbers];
  }
}
