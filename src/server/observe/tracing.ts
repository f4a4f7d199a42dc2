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
import { NumberMap, type Outcome } from '../../core/index.ts';
import {
  type CallStarted,
  type HostEvent,
  type Observer,
  type SessionFacts,
  type SessionStarted,
  type SetupResult,
  type Subject,
  settlesWithin,
  type TraceHeaders,
} from '../../sessions/index.ts';
import { version } from '../../version.ts';
import { tracerProvider } from './tracer-provider.ts';

/** Makes spans; undefined where nobody would get them. */
export function tracing(): Tracing | undefined {
  const provider = tracerProvider();
  return provider && new Tracing(provider);
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
export class Tracing implements Observer {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  /** The context of each span that has not ended, by the number of its session or call. */
  readonly #sessions = new Map<number, SessionSpan>();
  readonly #setups = new Map<number, Context>();
  readonly #calls = new NumberMap<Context>();

  constructor(provider: TracerProvider) {
    this.#provider = provider;
    this.#tracer = provider.getTracer('tiltyard', version);
  }

  /** Has the spans sent that wait for it: the process may end next. */
  async flush(): Promise<void> {
    const proxied = this.#provider instanceof ProxyTracerProvider ? this.#provider.getDelegate() : this.#provider;
    const flushed = (proxied as FlushingProvider).forceFlush?.();
    // Whether it worked is between the SDK and its collector; it has a log for that.
    if (flushed !== undefined) await settlesWithin(flushed, FLUSH_MS);
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

  on(event: HostEvent): void {
    switch (event.type) {
      case 'session_started':
        return this.#sessionStarted(event);
      case 'setup_ended':
        return end(take(this.#setups, event.session.number), SETUP_OUTCOMES[event.result]);
      case 'session_ended': {
        const context = this.#sessions.get(event.session.number)?.context;
        this.#sessions.delete(event.session.number);
        const span = context === undefined ? undefined : trace.getSpan(context);
        span?.setAttribute('tiltyard.calls', event.calls);
        if (event.reward !== null) span?.setAttribute('tiltyard.reward', event.reward);
        return end(span, event.outcome);
      }
      case 'call_started':
        return this.#callStarted(event);
      case 'call_ended': {
        const span = take(this.#calls, event.call.number);
        if (event.reward !== null) span?.setAttribute('tiltyard.reward', event.reward);
        return end(span, event.outcome);
      }
    }
  }

  readonly within: NonNullable<Observer['within']> = (subject, run) => {
    const found = this.#contextOf(subject);
    return found === undefined ? run() : context.with(found, run);
  };

  /** The same for code in another process: what says there to which trace it belongs. */
  headersFor(subject: Subject): TraceHeaders | undefined {
    const found = this.#contextOf(subject);
    if (found === undefined) return undefined;
    const carrier: Record<string, string> = {};
    propagation.inject(found, carrier);
    return carrier;
  }

  #contextOf(subject: Subject): Context | undefined {
    if ('call' in subject) return this.#calls.get(subject.call);
    if (!('session' in subject)) return undefined;
    if (subject.part === 'setup') return this.#startSetup(subject.session);
    return this.#sessions.get(subject.session)?.context;
  }

  #sessionStarted({ session, trace: headers = {} }: SessionStarted): void {
    const parent = propagation.extract(ROOT_CONTEXT, headers);
    const options = { kind: SpanKind.SERVER, attributes: attributesOf(session) };
    const started = this.#start(`session ${session.environment}`, options, parent);
    this.#sessions.set(session.number, { context: started, facts: session });
  }

  #callStarted({ call, trace: headers = {} }: CallStarted): void {
    const sent = propagation.extract(ROOT_CONTEXT, headers);
    const home = call.session === undefined ? undefined : this.#sessions.get(call.session.number);
    const attributes = {
      ...(home === undefined ? {} : attributesOf(home.facts)),
      'tiltyard.tool': call.tool,
      'tiltyard.task_id': call.id,
      ...(call.mcpId === undefined ? {} : { 'tiltyard.protocol': 'mcp', 'tiltyard.mcp_id': call.mcpId }),
    };
    // Below the caller's span, if it sent one; its session is then a link, since a span has one parent.
    const isSent = trace.getSpanContext(sent) !== undefined;
    const homeSpan = home === undefined ? undefined : trace.getSpanContext(home.context);
    const links = isSent && homeSpan !== undefined ? [{ context: homeSpan }] : [];
    const options = { kind: SpanKind.SERVER, attributes, links };
    this.#calls.set(call.number, this.#start(`call ${call.tool}`, options, isSent ? sent : (home?.context ?? sent)));
  }

  #startSetup(session: number): Context | undefined {
    const home = this.#sessions.get(session);
    if (home === undefined) return undefined;
    const setup = this.#start('setup', { attributes: attributesOf(home.facts) }, home.context);
    this.#setups.set(session, setup);
    return setup;
  }

  #start(name: string, options: SpanOptions, parent: Context = ROOT_CONTEXT): Context {
    return trace.setSpan(parent, this.#tracer.startSpan(name, options, parent));
  }
}

interface SessionSpan {
  readonly context: Context;
  readonly facts: SessionFacts;
}

function attributesOf({ sid, environment, split, index }: SessionFacts): Attributes {
  return {
    'tiltyard.sid': sid,
    'tiltyard.environment': environment,
    ...(split === undefined ? {} : { 'tiltyard.split': split }),
    ...(index === undefined ? {} : { 'tiltyard.index': index }),
  };
}

function take(contexts: Pick<NumberMap<Context>, 'get' | 'delete'>, number: number): Span | undefined {
  const found = contexts.get(number);
  contexts.delete(number);
  return found === undefined ? undefined : trace.getSpan(found);
}

function end(span: Span | undefined, outcome: Outcome | undefined): void {
  if (outcome !== undefined) span?.setAttribute('tiltyard.outcome', outcome);
  if (outcome === 'env_error') span?.setStatus({ code: SpanStatusCode.ERROR });
  span?.end();
}
