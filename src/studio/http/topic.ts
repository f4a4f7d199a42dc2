import type { StreamEvent } from '../api.ts';

/** An event without the topic that it is of. */
export type TopicEvent = StreamEvent extends infer Event
  ? Event extends StreamEvent
    ? Omit<Event, 'topic'>
    : never
  : never;

/** Something that can be watched: its whole state, and then its changes. */
export interface Watchable {
  /** The whole state; also told again to a page that was too slow for the changes. */
  snapshot(): TopicEvent | Promise<TopicEvent>;
  /** Tells of changes until the returned function is called. */
  watch(tell: (event: TopicEvent) => void): () => void;
}

/** Finds what a topic names; undefined if there is no such thing. */
export type FindTopic = (topic: string) => Watchable | undefined;
