import type { ServerEvent } from '../../protocol/index.ts';
import type { FollowSnapshot, LiveSession, LiveStep, Problem } from '../api.ts';
import type { TopicEvent, Watchable } from '../http/topic.ts';
import type { TargetLink } from '../targets/target-link.ts';
import { EventConnection } from './event-connection.ts';
import { FollowedSteps } from './followed-steps.ts';
import type { LiveFeed } from './live-feed.ts';
import { toLiveSession, toLiveStep, toNumber, toText } from './live-state.ts';

const TELL_EVERY_MS = 50;
const MOST = { steps: 500, bytes: 32 * 2 ** 20 };

/** One session of somebody else, with its contents, for as long as a page follows it. */
export class Follow implements Watchable {
  readonly #link: TargetLink;
  readonly #feed: LiveFeed;
  readonly #sid: string;
  readonly #steps = new FollowedSteps(MOST);
  #session: LiveSession | null;
  #problem: Problem | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(link: TargetLink, feed: LiveFeed, sid: string) {
    this.#link = link;
    this.#feed = feed;
    this.#sid = sid;
    this.#session = feed.session(sid);
    for (const step of feed.stepsOf(sid)) this.#steps.note(step, 0);
  }

  snapshot(): TopicEvent {
    const follow: FollowSnapshot = { session: this.#session, steps: this.#steps.list(), problem: this.#problem };
    return { type: 'follow', follow };
  }

  watch(tell: (event: TopicEvent) => void): () => void {
    const leaveFeed = this.#feed.watch(() => {});
    const connection = new EventConnection(this.#link, `?content=1&session=${encodeURIComponent(this.#sid)}`, {
      event: (event, bytes) => {
        this.#take(event, bytes);
        this.#soon(tell);
      },
      lost: (problem) => {
        this.#problem = problem;
        this.#soon(tell);
      },
      refused: () => {},
    });
    return () => {
      clearTimeout(this.#timer);
      connection.close();
      leaveFeed();
    };
  }

  #soon(tell: (event: TopicEvent) => void): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      tell({
        type: 'follow_changes',
        session: this.#session,
        steps: this.#steps.takeChanged(),
        problem: this.#problem,
      });
    }, TELL_EVERY_MS).unref();
  }

  #take(event: ServerEvent, bytes: number): void {
    switch (event.type) {
      case 'sessions':
        this.#problem = null;
        this.#session = event.sessions.slice(0, 1).map(toLiveSession)[0] ?? this.#session;
        return;
      case 'session':
        this.#session = toLiveSession(event.session);
        return;
      case 'call':
        if (event.session !== null) this.#session = toLiveSession(event.session);
        return this.#steps.note(
          toLiveStep(event.call, event.at, (id) => this.#steps.find(id)),
          bytes,
        );
      case 'input': {
        const id = toText(event.call);
        const known = this.#steps.find(id) ?? begun(id, toText(event.tool), toNumber(event.at));
        return this.#steps.note({ ...known, input: event.input }, bytes);
      }
      case 'output': {
        const { at, ms, outcome, reward = null, finished = false, blocks, failure } = event;
        const id = toText(event.call);
        const known = this.#steps.find(id) ?? begun(id, '', at - ms);
        const content = blocks === undefined ? {} : { blocks };
        const error = failure === undefined ? {} : { error: failure.message };
        return this.#steps.note({ ...known, ms, outcome, reward, finished, ...content, ...error }, bytes);
      }
    }
  }
}

function begun(id: string, tool: string, startedAt: number): LiveStep {
  return { id, tool, startedAt, ms: null, outcome: null, reward: null, finished: false };
}
