import type { WatchedSession } from '../../protocol/index.ts';
import type { CallEnded, CallStarted, SessionEnded, SessionFacts } from '../../sessions/index.ts';

/** What changes of a session while it is watched. */
type Watched = { -readonly [Key in keyof WatchedSession]: WatchedSession[Key] };

/** All open sessions of a server, as far as they have come. */
export class SessionBoard {
  /** By their numbers: ids may be used again. */
  readonly #sessions = new Map<number, Watched>();

  start({ number, sid, environment, identity, split, index }: SessionFacts, at: number): WatchedSession {
    const session: Watched = {
      sid,
      environment,
      identity,
      split: split ?? null,
      index: index ?? null,
      started_at: at,
      state: 'setup',
      calls: 0,
      running: 0,
      last_tool: null,
      last_at: at,
      reward: null,
      finished: false,
      outcome: null,
    };
    this.#sessions.set(number, session);
    return session;
  }

  open({ number }: SessionFacts, at: number): WatchedSession | undefined {
    return this.#change(number, at, (session) => {
      session.state = 'open';
    });
  }

  callStarted({ call, at }: CallStarted): WatchedSession | undefined {
    if (call.session === undefined) return undefined;
    return this.#change(call.session.number, at, (session) => {
      session.calls += 1;
      session.running += 1;
      session.last_tool = call.tool;
    });
  }

  callEnded({ call, at, reward, finished }: CallEnded): WatchedSession | undefined {
    if (call.session === undefined) return undefined;
    return this.#change(call.session.number, at, (session) => {
      session.running -= 1;
      // A session without anything to set up tells nothing of it.
      session.state = 'open';
      if (reward !== null) session.reward = (session.reward ?? 0) + reward;
      session.finished ||= finished;
    });
  }

  /** Takes a session off the board; `ended` is undefined for one that goes on elsewhere. */
  end({ number }: SessionFacts, at: number, ended?: SessionEnded): WatchedSession | undefined {
    const session = this.#change(number, at, (each) => {
      each.state = 'ended';
      each.outcome = ended?.outcome ?? null;
      if (ended !== undefined) each.reward = ended.reward;
    });
    this.#sessions.delete(number);
    return session;
  }

  /** Those of an identity, or all. */
  of(identity: string | undefined): WatchedSession[] {
    const all = [...this.#sessions.values()];
    return identity === undefined ? all : all.filter((session) => session.identity === identity);
  }

  #change(number: number, at: number, change: (session: Watched) => void): WatchedSession | undefined {
    const session = this.#sessions.get(number);
    if (session === undefined) return undefined;
    session.last_at = at;
    change(session);
    return session;
  }
}
