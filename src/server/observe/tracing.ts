import {
  type Attributes,
  type Context,
  context,
  ProxyTracerProvider,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import type { FastifyRequest } from 'fastify';
import type { Outcome } from '../../core/index.ts';
import type { ObservedCall, ObservedSession, Observer, SetupResult, TraceHeaders } from '../../sessions/index.ts';
import { version } from '../../version.ts';

/** Makes spans, or undefined where no SDK was registered by now: then nobody would get them, and nothing is spent. */
export function tracing(): Tracing | undefined {
  const provider = trace.getTracerProvider();
  const isSilent = provider instanceof ProxyTracerProvider && provider.getDelegateTracer('tiltyard') === undefined;
  return isSilent ? undefined : new Tracing(provider);
}

const SETUP_OUTCOMES: Record<SetupResult, Outcome | undefined> = {
  ready: undefined,
  failed: 'env_error',
  cancelled: 'cancelled',
};

// A collector that is down must not keep a server from stopping.
const FLUSH_MS = 2_000;

/** What the providers of SDKs have besides. */
interface FlushingProvider extends TracerProvider {
  forceFlush?(): Promise<void>;
}

/** Spans of sessions, their setups, and calls; the author's own come below them. */
export class Tracing implements Partial<Observer> {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  /** The context of each span that has not ended. */
  readonly #sessions = new Map<ObservedSession, Context>();
  readonly #setups = new Map<ObservedSession, Context>();
  readonly #calls = new Map<ObservedCall, Context>();

  constructor(provider: TracerProvider) {
    this.#provider = provider;
    this.#tracer = provider.getTracer('tiltyard', version);
  }

  /** Has the spans sent that wait for it: the process may end next. */
  async flush(): Promise<void> {
    const proxied = this.#provider instanceof ProxyTracerProvider ? this.#provider.getDelegate() : this.#provider;
    const flushed = (proxied as FlushingProvider).forceFlush?.();
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise((resolve) => {
      timer = setTimeout(resolve, FLUSH_MS);
    });
    // Whether it worked is between the SDK and its collector; it has a log for that.
    await Promise.race([flushed?.catch(() => {}), limit]);
    clearTimeout(timer);
  }

  /** What of a request's headers says to which trace it belongs. */
  headersOf({ headers }: Pick<FastifyRequest, 'headers'>): TraceHeaders {
    const carrier: Record<string, string> = {};
    const active = context.active();
    // An instrumentation of HTTP has made a span of this request already.
    if (trace.getSpan(active) !== undefined) {
      propagation.inject(active, carrier);
      return carrier;
    }
    for (const name of propagation.fields()) {
      const value = headers[name];
      if (typeof value === 'string') carrier[name] = value;
    }
    return carrier;
  }

  sessionStarted(session: ObservedSession, headers: TraceHeaders = {}): void {
    const parent = propagation.extract(ROOT_CONTEXT, headers);
    const { environmentName } = session;
    const options = { kind: SpanKind.SERVER, attributes: attributesOf(session) };
    this.#sessions.set(session, this.#start(`session ${environmentName}`, options, parent));
  }

  setupEnded(session: ObservedSession, result: SetupResult): void {
    end(take(this.#setups, session), SETUP_OUTCOMES[result]);
  }

  sessionEnded(session: ObservedSession, outcome: Outcome): void {
    const span = take(this.#sessions, session);
    span?.setAttribute('tiltyard.calls', session.callCount);
    end(span, outcome);
  }

  callStarted(call: ObservedCall, session: ObservedSession | undefined, headers: TraceHeaders = {}): void {
    const sent = propagation.extract(ROOT_CONTEXT, headers);
    const home = session === undefined ? undefined : this.#sessions.get(session);
    const attributes = {
      ...(session === undefined ? {} : attributesOf(session)),
      'tiltyard.tool': call.tool,
      'tiltyard.task_id': call.callId,
    };
    // Below the caller's span, if it sent one; its session is then a link, since a span has one parent.
    const isSent = trace.getSpanContext(sent) !== undefined;
    const homeSpan = home === undefined ? undefined : trace.getSpanContext(home);
    const links = isSent && homeSpan !== undefined ? [{ context: homeSpan }] : [];
    const options = { kind: SpanKind.SERVER, attributes, links };
    this.#calls.set(call, this.#start(`call ${call.tool}`, options, isSent ? sent : (home ?? sent)));
  }

  callEnded(call: ObservedCall, outcome: Outcome): void {
    end(take(this.#calls, call), outcome);
  }

  readonly within: NonNullable<Observer['within']> = (subject, run) => {
    const call = this.#calls.get(subject as ObservedCall);
    return context.with(call ?? this.#startSetup(subject as ObservedSession), run);
  };

  #startSetup(session: ObservedSession): Context {
    const setup = this.#start('setup', { attributes: attributesOf(session) }, this.#sessions.get(session));
    this.#setups.set(session, setup);
    return setup;
  }

  #start(name: string, options: SpanOptions, parent: Context = ROOT_CONTEXT): Context {
    return trace.setSpan(parent, this.#tracer.startSpan(name, options, parent));
  }
}

function attributesOf({ sid, environmentName }: ObservedSession): Attributes {
  return { 'tiltyard.sid': sid, 'tiltyard.environment': environmentName };
}

function take<Subject>(contexts: Map<Subject, Context>, subject: Subject): Span | undefined {
  const found = contexts.get(subject);
  contexts.delete(subject);
  return found === undefined ? undefined : trace.getSpan(found);
}

function end(span: Span | undefined, outcome: Outcome | undefined): void {
  if (outcome !== undefined) span?.setAttribute('tiltyard.outcome', outcome);
  if (outcome === 'env_error') span?.setStatus({ code: SpanStatusCode.ERROR });
  span?.end();
}
