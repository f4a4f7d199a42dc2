import type { ServerEvent } from '../../protocol/index.ts';
import type { FollowSnapshot, LiveSession, LiveStep } from '../api.ts';
import type { TopicEvent, Watchable } from '../http/topic.ts';
import type { TargetLink } from '../targets/target-link.ts';
import { EventConnection } from './event-connection.ts';
import type { LiveFeed } from './live-feed.ts';
import { toLiveSession, toLiveStep } from './live-state.ts';

const TELL_EVERY_MS = 50;
const STEPS_KEPT = 500;

/** One session of somebody else, with its contents, for as long as a page follows it. */
export class Follow implements Watchable {
  readonly #link: TargetLink;
  readonly #feed: LiveFeed;
  readonly #sid: string;
  readonly #steps = new Map<string, LiveStep>();
  readonly #changed = new Set<string>();
  #session: LiveSession | null;
  #timer: NodeJS.Timeout | undefined;

  constructor(link: TargetLink, feed: LiveFeed, sid: string) {
    this.#link = link;
    this.#feed = feed;
    this.#sid = sid;
    this.#session = feed.session(sid);
    for (const step of feed.stepsOf(sid)) this.#steps.set(step.id, step);
  }

  snapshot(): TopicEvent {
    const follow: FollowSnapshot = { session: this.#session, steps: [...this.#steps.values()] };
    return { type: 'follow', follow };
  }

  watch(tell: (event: TopicEvent) => void): () => void {
    const leaveFeed = this.#feed.watch(() => {});
    const connection = new EventConnection(this.#link, `?content=1&session=${encodeURIComponent(this.#sid)}`, {
      event: (event) => this.#on(event, tell),
      open: () => {},
      lost: () => {},
      refused: () => {},
    });
    return () => {
      clearTimeout(this.#timer);
      connection.close();
      leaveFeed();
    };
  }

  #on(event: ServerEvent, tell: (event: TopicEvent) => void): void {
    this.#take(event);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const steps = [...this.#changed].flatMap((id) => this.#steps.get(id) ?? []);
      this.#changed.clear();
      tell({ type: 'follow_changes', session: this.#session, steps });
    }, TELL_EVERY_MS).unref();
  }

  #take(event: ServerEvent): void {
    switch (event.type) {
      case 'sessions':
        this.#session = event.sessions.map(toLiveSession)[0] ?? this.#session;
        return;
      case 'session':
        this.#session = toLiveSession(event.session);
        return;
      case 'call':
        if (event.session !== null) this.#session = toLiveSession(event.session);
        return this.#note(toLiveStep(event.call, event.at, this.#steps.get(event.call.id)));
      case 'input': {
        const { call: id, tool, input, at } = event;
        const known = this.#steps.get(id);
        return this.#note({ ...(known ?? begun(id, tool, at)), input });
      }
      case 'output': {
        const { call: id, at, ms, outcome, reward = null, finished = false, blocks, failure } = event;
        const known = this.#steps.get(id) ?? begun(id, '', at - ms);
        const content = blocks === undefined ? {} : { blocks };
        const error = failure === undefined ? {} : { error: failure.message };
        return this.#note({ ...known, ms, outcome, reward, finished, ...content, ...error });
      }
    }
  }

  #note(step: LiveStep): void {
    this.#steps.set(step.id, step);
    this.#changed.add(step.id);
    const [oldest] = this.#steps.keys();
    if (this.#steps.size > STEPS_KEPT && oldest !== undefined) this.#steps.delete(oldest);
  }
}

function begun(id: string, tool: string, startedAt: number): LiveStep {
  return { id, tool, startedAt, ms: null, outcome: null, reward: null, finished: false };
}
