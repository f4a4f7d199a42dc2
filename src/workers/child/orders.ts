import {
  type Catalog,
  catalog,
  type Definitions,
  EnvironmentError,
  type Log,
  TiltyardError,
  type ToolkitCatalog,
  toFailure,
  toolkitCatalog,
} from '../../core/index.ts';
import {
  type EpisodeStart,
  LocalRuntime,
  LocalToolRuntime,
  type Observer,
  type OpenEpisode,
  type RunEnding,
  type RunListener,
  type TaskPage,
  type TaskQuery,
} from '../../sessions/index.ts';
import type { Order, Question, Report, RunReport, WorkerContents, WorkerPlan } from '../messages.ts';
import type { Outbox } from '../outbox.ts';

/** What carries out the orders of a server. */
export interface OrderTaker {
  readonly contents: WorkerContents;
  take(order: Order): void;
}

/** What an order taker works with. */
export interface OrderOptions {
  readonly plan: WorkerPlan;
  readonly log: Log;
  readonly observer: Observer;
  readonly outbox: Outbox<Report>;
}

/** Makes authors' definitions ready to be run by order. Mistakes in them are thrown. */
export function orderTaker({ environments, toolkits }: Definitions, options: OrderOptions): OrderTaker {
  const { plan, log, observer } = options;
  const { limits, lenient, callsAfterFinish } = plan;
  const catalogued =
    environments.length === 0 ? undefined : catalog(environments, { lenient: lenient.environments, limits });
  const kits = toolkitCatalog(toolkits, { lenient: lenient.toolkits, limits });
  const runtime = catalogued && new LocalRuntime(catalogued, { ...limits, callsAfterFinish, log, observer });
  const tools = new LocalToolRuntime(kits, { graceMs: limits.graceMs, log, observer });
  return new Orders(contentsOf(catalogued, kits, runtime, tools), runtime, tools, options.outbox);
}

class Orders implements OrderTaker {
  readonly contents: WorkerContents;
  readonly #runtime: LocalRuntime | undefined;
  readonly #tools: LocalToolRuntime;
  readonly #outbox: Outbox<Report>;
  readonly #episodes = new Map<number, OpenEpisode>();
  /** Those whose tasks are being read, and whether somebody still wants them. */
  readonly #opening = new Map<number, 'wanted' | 'dropped'>();

  constructor(
    contents: WorkerContents,
    runtime: LocalRuntime | undefined,
    tools: LocalToolRuntime,
    outbox: Outbox<Report>,
  ) {
    this.contents = contents;
    this.#runtime = runtime;
    this.#tools = tools;
    this.#outbox = outbox;
  }

  take(order: Order): void {
    switch (order.kind) {
      case 'run':
        return this.#episodes.get(order.episode)?.run(order.request, new RunReporter(order.run, this.#outbox));
      case 'run_tool':
        return this.#tools.run(order.request, new RunReporter(order.run, this.#outbox));
      case 'ask':
        return void this.#answer(order.id, order.question);
      case 'begin': {
        const { episode } = order;
        return this.#episodes
          .get(episode)
          ?.begin((failure, saved) => this.#outbox.put({ kind: 'ready', episode, failure, saved }));
      }
      case 'give_up_setup':
        return this.#episodes.get(order.episode)?.giveUpSetup(order.limitMs);
      case 'abort':
        return this.#episodes.get(order.episode)?.abort(order.call, order.reason);
      case 'ping':
        this.#outbox.put({ kind: 'pong', at: order.at });
        // At once: the next order may block, and must not take the answer along.
        return this.#outbox.flush();
    }
  }

  async #answer(id: number, question: Question): Promise<void> {
    try {
      this.#outbox.put({ kind: 'answer', id, value: await this.#find(question) });
    } catch (thrown) {
      const error =
        thrown instanceof TiltyardError
          ? thrown
          : new EnvironmentError('environment_failed', 'a worker could not do what it was asked', { thrown });
      this.#outbox.put({ kind: 'refusal', id, failure: toFailure(error) });
    }
  }

  async #find(question: Question): Promise<unknown> {
    switch (question.ask) {
      case 'tasks':
        return this.#tasks(question.query);
      case 'open':
        return this.#open(question.episode, question.start);
      case 'prompt':
        return this.#episodes.get(question.episode)?.prompt();
      case 'tools':
        return this.#episodes.get(question.episode)?.tools();
      case 'close': {
        const episode = this.#episodes.get(question.episode);
        this.#episodes.delete(question.episode);
        if (this.#opening.has(question.episode)) this.#opening.set(question.episode, 'dropped');
        return episode?.close(question.reason);
      }
      case 'check':
        return this.#tools.check(question.toolId, question.input);
      case 'abort':
        return this.#tools.abort(question.call, question.reason);
    }
  }

  async #tasks(query: TaskQuery): Promise<TaskPage> {
    const { tasks, ...page } = await (this.#runtime as LocalRuntime).tasks(query);
    // As the wire has them: a copy for another process would lose `toJSON`, and not take functions.
    return { ...page, tasks: JSON.parse(JSON.stringify(tasks)) };
  }

  async #open(
    number: number,
    start: EpisodeStart,
  ): Promise<Pick<OpenEpisode, 'environment' | 'needsSetup' | 'taskDigest'>> {
    this.#opening.set(number, 'wanted');
    try {
      const episode = await (this.#runtime as LocalRuntime).open(start);
      if (this.#opening.get(number) === 'wanted') this.#episodes.set(number, episode);
      const { environment, needsSetup, taskDigest } = episode;
      return { environment, needsSetup, taskDigest };
    } finally {
      this.#opening.delete(number);
    }
  }
}

/** Reports how a run goes on: all that happens in a turn at once, which for most tools is all there is. */
class RunReporter implements RunListener {
  readonly #run: number;
  readonly #outbox: Outbox<Report>;
  #latest: RunReport | undefined;
  /** The turn of the outbox in which that goes out. */
  #turn = 0;

  constructor(run: number, outbox: Outbox<Report>) {
    this.#run = run;
    this.#outbox = outbox;
  }

  accepted(): void {
    this.#report.accepted = true;
  }

  running(): void {
    this.#report.running = true;
  }

  ended(ending: RunEnding): void {
    this.#report.ending = ending;
  }

  get #report(): RunReport {
    if (this.#latest === undefined || this.#turn !== this.#outbox.turn) {
      this.#latest = { kind: 'run', run: this.#run, accepted: false, running: false, ending: undefined };
      this.#turn = this.#outbox.turn;
      this.#outbox.put(this.#latest);
    }
    return this.#latest;
  }
}

function contentsOf(
  catalogued: Catalog | undefined,
  { tools: kits }: ToolkitCatalog,
  runtime: LocalRuntime | undefined,
  { tools }: LocalToolRuntime,
): WorkerContents {
  const timeouts = catalogued?.environments.map((environment) => [
    environment.name,
    Object.fromEntries(Array.from(environment.tools, ([name, { timeoutMs = 0 }]) => [name, timeoutMs])),
  ]);
  return {
    manifest: runtime?.manifest,
    tools,
    timeouts: Object.fromEntries(timeouts ?? []),
    toolTimeouts: Object.fromEntries(kits.map(({ definition, tool }) => [definition.id, tool.timeoutMs ?? 0])),
  };
}
