import { CALL_OUTCOMES, type CallOutcome, EPISODE_OUTCOMES, type EpisodeOutcome, NumberMap } from '../../core/index.ts';
import {
  type CallEnded,
  type CallFacts,
  type CallRunning,
  Counts,
  type HostEvent,
  type LossReason,
  type Observer,
  type SessionEnded,
  type SessionFacts,
} from '../../sessions/index.ts';

// In seconds: from a tool that only looks something up to one that trains a model.
const DURATIONS: readonly number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800];

// Most environments pay from 0 to 1, some punish, some count points.
const REWARDS: readonly number[] = [-100, -10, -1, -0.5, 0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999, 1, 2, 5, 10, 100];

/** Counts values by the bounds of a histogram. prom-client's own takes 0.6 us for each; this a few ns. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = [...bounds, Number.POSITIVE_INFINITY];
    this.#counts = new Array(this.#bounds.length).fill(0);
  }

  add(value: number): void {
    let at = 0;
    while (value > (this.#bounds[at] as number)) at += 1;
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#sum += value;
  }

  /** As Prometheus wants it: each bucket has all that the smaller ones have. */
  read(): {
    buckets: readonly (readonly [bound: number | '+Inf', count: number])[];
    sum: number;
    count: number;
  } {
    let count = 0;
    const buckets = this.#bounds.map((bound, at) => {
      count += this.#counts[at] as number;
      return [bound === Number.POSITIVE_INFINITY ? '+Inf' : bound, count] as const;
    });
    return { buckets, sum: this.#sum, count };
  }
}

/** The numbers of one environment. */
export interface EnvironmentNumbers {
  live: number;
  readonly ended: Record<EpisodeOutcome, number>;
  readonly setups: Histogram;
  readonly rewards: Histogram;
  reusedIds: number;
  /** The episodes that were lost, by reason. */
  readonly lost: Map<LossReason, number>;
  /** How long it took to build episodes again. */
  readonly rebuilds: Histogram;
}

/** The numbers of one tool. */
export interface ToolNumbers {
  readonly ended: Record<CallOutcome, number>;
  /** Those that came over MCP, which are not among the others. */
  readonly endedByMcp: Record<CallOutcome, number>;
  readonly durations: Histogram;
}

/**
 * What a server counts of its sessions and calls: plain numbers, which a call changes in some ns. All names in it come
 * from the catalog, so there are only so many.
 */
export class Numbers implements Observer {
  readonly environments: Map<string, EnvironmentNumbers> = new Map();
  /** By environment; '' has the tools of toolkits. */
  readonly tools: Map<string, Map<string, ToolNumbers>> = new Map();
  /** The live sessions of each identity that is known. */
  readonly owned: Counts = new Counts();
  /** See `running`. Most tools end before another starts: the latest has a place of its own. */
  readonly #running = new NumberMap<CallRunning>();
  #latest: CallRunning | undefined;
  liveSessions = 0;
  /** Those that ended because the server stops. */
  stoppedSessions = 0;
  waitingCalls = 0;

  on(event: HostEvent): void {
    switch (event.type) {
      case 'call_started':
        this.waitingCalls += 1;
        return;
      case 'call_running':
        this.waitingCalls -= 1;
        if (this.#latest !== undefined) this.#running.set(this.#latest.call.number, this.#latest);
        this.#latest = event;
        return;
      case 'call_ended':
        return this.#callEnded(event);
      case 'session_started':
        this.liveSessions += 1;
        if (event.session.identity) this.owned.add(event.session.identity);
        this.environment(event.session.environment).live += 1;
        return;
      case 'setup_ended':
        return this.environment(event.session.environment).setups.add(event.durationMs / 1000);
      case 'session_ended':
        return this.#sessionEnded(event);
      case 'session_suspended':
        return this.#sessionLeft(event.session);
      case 'session_not_recovered':
        return this.#lost(event.environment, event.lost);
      case 'session_rebuilt':
        return this.environment(event.environment).rebuilds.add(event.durationMs / 1000);
      case 'task_id_reused':
        this.environment(event.session.environment).reusedIds += 1;
        return;
    }
  }

  /** Of the calls whose tool was started and has not ended, the start. */
  get running(): readonly CallRunning[] {
    const latest = this.#latest;
    return latest === undefined ? this.#running.values() : [...this.#running.values(), latest];
  }

  /** The numbers of an environment, whether or not it has had a session. */
  environment(name: string): EnvironmentNumbers {
    let numbers = this.environments.get(name);
    if (numbers === undefined) {
      const ended = noCounts(EPISODE_OUTCOMES);
      const [setups, rebuilds] = [new Histogram(DURATIONS), new Histogram(DURATIONS)];
      numbers = { live: 0, ended, setups, rewards: new Histogram(REWARDS), reusedIds: 0, lost: new Map(), rebuilds };
      this.environments.set(name, numbers);
    }
    return numbers;
  }

  /** Shows environments before their first session ends, so that rates see that as well. */
  expect(environmentNames: readonly string[]): void {
    for (const name of environmentNames) this.environment(name);
  }

  /** The numbers of the tool of a call. */
  tool({ session, tool }: CallFacts): ToolNumbers {
    const environment = session?.environment ?? '';
    return this.tools.get(environment)?.get(tool) ?? this.#newTool(environment, tool);
  }

  #newTool(environment: string, tool: string): ToolNumbers {
    const tools = this.tools.get(environment) ?? new Map<string, ToolNumbers>();
    const [ended, endedByMcp] = [noCounts(CALL_OUTCOMES), noCounts(CALL_OUTCOMES)];
    const numbers = { ended, endedByMcp, durations: new Histogram(DURATIONS) };
    this.tools.set(environment, tools.set(tool, numbers));
    return numbers;
  }

  #callEnded({ call, outcome, durationMs, ran }: CallEnded): void {
    if (!ran) this.waitingCalls -= 1;
    else if (this.#latest?.call === call) this.#latest = undefined;
    else this.#running.delete(call.number);
    const { ended, endedByMcp, durations } = this.tool(call);
    if (call.mcpId === undefined) ended[outcome] += 1;
    else endedByMcp[outcome] += 1;
    durations.add(durationMs / 1000);
  }

  #sessionEnded({ session, outcome, reason, lost, reward }: SessionEnded): void {
    const numbers = this.environment(session.environment);
    this.#sessionLeft(session);
    if (reason === 'stopped') this.stoppedSessions += 1;
    if (lost !== undefined) this.#lost(session.environment, lost);
    numbers.ended[outcome] += 1;
    if (reward !== null) numbers.rewards.add(reward);
  }

  #sessionLeft({ identity, environment }: SessionFacts): void {
    this.liveSessions -= 1;
    if (identity) this.owned.remove(identity);
    this.environment(environment).live -= 1;
  }

  #lost(environment: string, reason: LossReason): void {
    const { lost } = this.environment(environment);
    lost.set(reason, (lost.get(reason) ?? 0) + 1);
  }
}

function noCounts<Outcome extends string>(outcomes: readonly Outcome[]): Record<Outcome, number> {
  return Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
}
