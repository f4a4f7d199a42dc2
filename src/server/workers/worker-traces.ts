import { type Context, context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import { LRUCache } from 'lru-cache';
import type { Observer, TraceHeaders } from '../../sessions/index.ts';
import type { WorkerObservation } from '../../workers/index.ts';
import { tracerProvider } from '../observe/tracer-provider.ts';

/** Puts authors' code in a worker below the spans of its server. */
export interface WorkerTraces extends Observer {
  readonly around: NonNullable<WorkerObservation['around']>;
}

// Calls that wait for their turn; of more than that, the spans of the first ones stand alone.
const MOST_CALLS = 10_000;

/** Undefined where nobody would get the spans of this process. */
export function workerTraces(): WorkerTraces | undefined {
  if (tracerProvider() === undefined) return undefined;
  // Not by the context of the order alone: a call that waits is started by the end of the one before it.
  const calls = new LRUCache<number, Context>({ max: MOST_CALLS });
  return {
    on() {},
    within(subject, run) {
      const found = 'call' in subject ? calls.get(subject.call) : undefined;
      return found === undefined ? run() : context.with(found, run);
    },
    around(order, run) {
      const headers = headersOf(order);
      if (headers === undefined) return run();
      const sent = propagation.extract(ROOT_CONTEXT, headers);
      if (order.kind === 'run' || order.kind === 'run_tool') calls.set(order.request.call, sent);
      context.with(sent, run);
    },
  };
}

function headersOf(order: Parameters<WorkerTraces['around']>[0]): TraceHeaders | undefined {
  if (order.kind === 'ask') return 'trace' in order.question ? order.question.trace : undefined;
  return 'trace' in order ? order.trace : undefined;
}
