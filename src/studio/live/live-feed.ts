import type { ServerEvent, WatchedCall } from '../../protocol/index.ts';
import type { LiveSession, LiveSnapshot, LiveStep } from '../api.ts';
import type { TopicEvent, Watchable } from '../http/topic.ts';
import { Listeners } from '../shared/listeners.ts';
import type { TargetLink } from '../targets/target-link.ts';
import { EventConnection } from './event-connection.ts';
import { statusOf, toLiveSession, toLiveStep } from './live-state.ts';

const TELL_EVERY_MS = 100;
const ENDED_FOR_MS = 60_000;
// After the last page has left: a page that is loaded again finds what was there.
const LINGER_MS = 10_000;
const STEPS_KEPT = 50;

/** All sessions of a server, as it tells of them; it is asked only while somebody watches. */
export class LiveFeed implements Watchable {
  readonly #link: TargetLink;
  readonly #listeners = new Listeners<TopicEvent>();
  readonly #sessions = new Map<string, LiveSession>();
  readonly #steps = new Map<string, Map<string, LiveStep>>();
  readonly #changed = new Set<string>();
  readonly #gone = new Set<string>();
  #connection: EventConnection | undefined;
  #status: LiveSnapshot['status'] = 'connecting';
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #linger: NodeJS.Timeout | undefined;

  constructor(link: TargetLink) {
    this.#link = link;
  }

  snapshot(): TopicEvent {
    return { type: 'live', live: this.toJSON() };
  }

  watch(tell: (event: TopicEvent) => void): () => void {
    clearTimeout(this.#linger);
    this.#connect();
    const unwatch = this.#listeners.add(tell);
    return () => {
      unwatch();
      if (this.#listeners.size === 0) this.#linger = setTimeout(() => this.close(), LINGER_MS).unref();
    };
  }

  toJSON(): LiveSnapshot {
    const { make } = this.#link.toJSON();
    const status = make === 'foreign' ? 'foreign' : this.#status;
    return { status, sessions: [...this.#sessions.values()], dropped: this.#dropped, problem: null };
  }

  session(sid: string): LiveSession | null {
    return this.#sessions.get(sid) ?? null;
  }

  stepsOf(sid: string): LiveStep[] {
    return [...(this.#steps.get(sid)?.values() ?? [])];
  }

  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#linger);
    this.#timer = undefined;
    this.#connection?.close();
    this.#connection = undefined;
  }

  #connect(): void {
    if (this.#connection !== undefined || this.#link.toJSON().make === 'foreign') return;
    this.#status = 'connecting';
    this.#connection = new EventConnection(this.#link, '', {
      event: (event) => this.#on(event),
      open: () => {},
      lost: () => this.#setStatus('lost'),
      refused: (status) => this.#setStatus(statusOf(status)),
    });
  }

  #setStatus(status: LiveSnapshot['status']): void {
    if (this.#status === status) return;
    this.#status = status;
    this.#listeners.tell(this.snapshot());
  }

  #on(event: ServerEvent): void {
    if (event.type === 'sessions') return this.#reset(event.sessions.map(toLiveSession));
    if (event.type === 'dropped') this.#dropped = event.count;
    const session = 'session' in event && event.session !== null ? toLiveSession(event.session) : undefined;
    if (session === undefined) return this.#soon();
    this.#sessions.set(session.sid, session);
    this.#changed.add(session.sid);
    this.#gone.delete(session.sid);
    if (event.type === 'call') this.#noteStep(session.sid, event.call, event.at);
    this.#soon();
  }

  #noteStep(sid: string, call: WatchedCall, at: number): void {
    const steps = this.#steps.get(sid) ?? new Map<string, LiveStep>();
    this.#steps.set(sid, steps);
    steps.set(call.id, toLiveStep(call, at, steps.get(call.id)));
    const [oldest] = steps.keys();
    if (steps.size > STEPS_KEPT && oldest !== undefined) steps.delete(oldest);
  }

  /** A new connection: what was known may be of another time. */
  #reset(sessions: readonly LiveSession[]): void {
    this.#sessions.clear();
    this.#changed.clear();
    this.#gone.clear();
    this.#dropped = 0;
    for (const session of sessions) this.#sessions.set(session.sid, session);
    for (const sid of this.#steps.keys()) if (!this.#sessions.has(sid)) this.#steps.delete(sid);
    this.#status = 'on';
    this.#listeners.tell(this.snapshot());
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#tell();
    }, TELL_EVERY_MS).unref();
  }

  #tell(): void {
    this.#forgetEnded();
    const sessions = [...this.#changed].flatMap((sid) => this.#sessions.get(sid) ?? []);
    const gone = [...this.#gone];
    this.#changed.clear();
    this.#gone.clear();
    this.#listeners.tell({ type: 'live_changes', sessions, gone, dropped: this.#dropped });
  }

  #forgetEnded(): void {
    const before = Date.now() - ENDED_FOR_MS;
    for (const { sid, state, lastAt } of this.#sessions.values()) {
      if (state !== 'ended' || lastAt > before) continue;
      this.#sessions.delete(sid);
      this.#steps.delete(sid);
      this.#gone.add(sid);
    }
  }
}
