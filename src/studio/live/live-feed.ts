import type { ServerEvent } from '../../protocol/index.ts';
import type { LiveSession, LiveSnapshot, LiveStep, Problem } from '../api.ts';
import type { TopicEvent, Watchable } from '../http/topic.ts';
import { Listeners } from '../shared/listeners.ts';
import type { TargetLink } from '../targets/target-link.ts';
import { EventConnection } from './event-connection.ts';
import { statusOf, toLiveSession, toNumber } from './live-state.ts';
import { RecentSteps } from './recent-steps.ts';

const TELL_EVERY_MS = 100;
const ENDED_FOR_MS = 60_000;
// After the last page has left: a page that is loaded again finds what was there.
const LINGER_MS = 10_000;
const MOST_SESSIONS = 20_000;
const MOST_STEPS = { each: 50, all: 50_000 };

/** All sessions of a server, as it tells of them; it is asked only while somebody watches. */
export class LiveFeed implements Watchable {
  readonly #link: TargetLink;
  readonly #listeners = new Listeners<TopicEvent>();
  readonly #sessions = new Map<string, LiveSession>();
  readonly #steps = new RecentSteps(MOST_STEPS);
  readonly #changed = new Set<string>();
  readonly #gone = new Set<string>();
  #connection: EventConnection | undefined;
  #status: LiveSnapshot['status'] = 'connecting';
  #problem: Problem | null = null;
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
    return { status, sessions: [...this.#sessions.values()], dropped: this.#dropped, problem: this.#problem };
  }

  session(sid: string): LiveSession | null {
    return this.#sessions.get(sid) ?? null;
  }

  stepsOf(sid: string): LiveStep[] {
    return this.#steps.of(sid);
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
      lost: (problem) => this.#setStatus('lost', problem),
      refused: (status) => this.#setStatus(statusOf(status)),
    });
  }

  #setStatus(status: LiveSnapshot['status'], problem: Problem | null = null): void {
    if (this.#status === status && this.#problem?.message === problem?.message) return;
    this.#status = status;
    this.#problem = problem;
    this.#listeners.tell(this.snapshot());
  }

  #on(event: ServerEvent): void {
    if (event.type === 'sessions') return this.#reset(event.sessions.map(toLiveSession));
    if (event.type === 'dropped') this.#dropped = toNumber(event.count);
    const session = 'session' in event && event.session !== null ? toLiveSession(event.session) : undefined;
    if (session === undefined) return this.#soon();
    this.#changed.add(session.sid);
    this.#gone.delete(session.sid);
    if (event.type === 'call') this.#steps.add(session.sid, event.call, event.at);
    this.#keep(session);
    this.#soon();
  }

  /** Beyond the most, the oldest session makes room. */
  #keep(session: LiveSession): void {
    this.#sessions.set(session.sid, session);
    if (this.#sessions.size <= MOST_SESSIONS) return;
    const [oldest = ''] = this.#sessions.keys();
    this.#forget(oldest);
    this.#setStatus('on', TOO_MANY);
  }

  #forget(sid: string): void {
    this.#sessions.delete(sid);
    this.#steps.forget(sid);
    this.#changed.delete(sid);
    this.#gone.add(sid);
  }

  /** A new connection: what was known may be of another time. */
  #reset(sessions: readonly LiveSession[]): void {
    this.#sessions.clear();
    this.#changed.clear();
    this.#gone.clear();
    this.#dropped = 0;
    for (const session of sessions.slice(-MOST_SESSIONS)) this.#sessions.set(session.sid, session);
    this.#steps.keepOnly(this.#sessions);
    this.#status = 'on';
    this.#problem = sessions.length > MOST_SESSIONS ? TOO_MANY : null;
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
      if (state === 'ended' && lastAt <= before) this.#forget(sid);
    }
  }
}

const TOO_MANY: Problem = {
  kind: 'server',
  code: 'too_many_sessions',
  message: `the server tells of more than ${MOST_SESSIONS} sessions`,
  advice: 'The oldest are left out here. The server itself has them all: see its metrics and records.',
  status: null,
};
