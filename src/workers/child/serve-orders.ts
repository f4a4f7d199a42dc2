import {
  type Definitions,
  EnvironmentError,
  type Failure,
  keepTickShape,
  type Log,
  loadDefinitions,
  toFailure,
  toThrown,
} from '../../core/index.ts';
import type { Observer } from '../../sessions/index.ts';
import { LOG_LEVELS, type Order, type Report, type WorkerPlan } from '../messages.ts';
import { Outbox } from '../outbox.ts';
import { pack, unpack } from '../parcels.ts';
import { knowingWhoRuns, nameAtExit } from './culprit.ts';
import { startGuard } from './guard.ts';
import { type OrderTaker, orderTaker } from './orders.ts';
import { OrderProgress } from './progress.ts';

/** What the program of a worker adds: it knows more than this layer. */
export interface WorkerParts {
  /** What is put around authors' code, and around what an order does. */
  observe(plan: WorkerPlan, log: Log): WorkerObservation;
  /** Called with the log once there is one. */
  ready(log: Log): void;
}

/** How a worker is watched. */
export interface WorkerObservation {
  readonly observer: Observer;
  readonly around?: ((order: Order, run: () => void) => void) | undefined;
}

/** Makes this process a worker: it carries out the orders of the server that has forked it, until that ends it or is gone. */
export function serveOrders({ observe, ready }: WorkerParts): void {
  keepTickShape();
  const outbox = new Outbox<Report>(send);
  const progress = new OrderProgress();
  let taker: OrderTaker | undefined;
  let around: WorkerObservation['around'];
  // The terminal sends its signals to this process as well; the server decides what they mean.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit(0));
  nameAtExit();
  process.on('message', (message) => {
    for (const order of unpack<Order>(message) ?? []) {
      if (order.kind === 'load') void load(order.plan);
      else if (order.kind === 'stop') process.exit(0);
      else if (around === undefined) take(order);
      else around(order, () => take(order));
    }
  });

  function take(order: Order): void {
    progress.during(order, () => taker?.take(order));
  }

  async function load(plan: WorkerPlan): Promise<void> {
    startGuard({ maxMemoryBytes: plan.limits.maxWorkerMemoryBytes, progress });
    const log = remoteLog(plan, outbox);
    try {
      const onImport = plan.tellsImports ? (url: string) => outbox.put({ kind: 'import', url }) : undefined;
      const definitions = await loadAll(plan, onImport);
      const watched = observe(plan, log);
      around = watched.around;
      taker = orderTaker(definitions, { plan, log, observer: knowingWhoRuns(watched.observer), outbox });
      ready(log);
      outbox.put({ kind: 'loaded', contents: taker.contents });
    } catch (thrown) {
      const problem = (thrown as { problem?: unknown } | undefined)?.problem;
      outbox.put({ kind: 'broken', problem: { ...toThrown(thrown, (text) => text), problem } });
    }
  }
}

/** Sends reports; one that cannot be sent must not keep the others from it. */
function send(reports: readonly Report[]): void {
  try {
    // Once the server is gone, there is nobody to tell.
    if (process.connected) process.send?.(pack(reports), undefined, undefined, () => {});
  } catch (thrown) {
    const [first] = reports;
    if (reports.length > 1) for (const report of reports) send([report]);
    else if (first?.kind === 'answer') send([{ kind: 'refusal', id: first.id, failure: unsendable(thrown) }]);
    else if (first?.kind === 'run') {
      const ending = { kind: 'failed', outcome: 'env_error', failure: unsendable(thrown) } as const;
      send([{ ...first, ending }]);
    }
  }
}

function unsendable(thrown: unknown): Failure {
  return toFailure(new EnvironmentError('environment_failed', 'a result cannot leave its process', { thrown }));
}

type OnImport = ((url: string) => void) | undefined;

async function loadAll({ loader, modules }: WorkerPlan, onImport: OnImport): Promise<Definitions> {
  if (loader === undefined) return loadDefinitions(modules, { onImport });
  const { loadModules } = (await import(loader)) as {
    loadModules(paths: readonly string[], options: { readonly onImport: OnImport }): Promise<Definitions>;
  };
  return loadModules(modules, { onImport });
}

/** A log whose lines the server writes. */
function remoteLog({ logLevel }: WorkerPlan, outbox: Outbox<Report>): Log {
  const least = LOG_LEVELS.indexOf(logLevel);
  const write = (level: keyof Log) => {
    if (LOG_LEVELS.indexOf(level) < least) return () => {};
    return (fields: object, message?: string) => outbox.put({ kind: 'log', level, fields, message });
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
