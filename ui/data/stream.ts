import type { StreamEvent, Topic } from '../../src/studio/api.ts';

/** Whether news arrives. */
export type StreamStatus = 'connecting' | 'open' | 'lost';

type Listener = (event: StreamEvent) => void;

// Long enough for a studio that restarts, short enough for somebody who looks at it.
const RETRY_MS = 1500;

/** The one stream of events of this page, over all topics that somebody listens to. */
export class StudioStream {
  readonly #topics = new Map<string, Set<Listener>>();
  readonly #watchers = new Set<() => void>();
  #source: EventSource | undefined;
  #status: StreamStatus = 'connecting';
  #isChanging = false;
  #retry: ReturnType<typeof setTimeout> | undefined;

  /** Hears of a topic, its whole state first; returns what ends that. */
  listen(topic: Topic, listener: Listener): () => void {
    const listeners = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, listeners.add(listener));
    this.#openSoon();
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#topics.get(topic) !== listeners) return;
      this.#topics.delete(topic);
      this.#openSoon();
    };
  }

  get status(): StreamStatus {
    return this.#status;
  }

  /** Hears of changes of the status. */
  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Several components change their topics in the same turn: one new connection serves them all. */
  #openSoon(): void {
    if (this.#isChanging) return;
    this.#isChanging = true;
    queueMicrotask(() => {
      this.#isChanging = false;
      this.#open();
    });
  }

  #open(): void {
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#source = undefined;
    if (this.#topics.size === 0) return;
    const query = new URLSearchParams([...this.#topics.keys()].map((topic) => ['topic', topic]));
    const source = new EventSource(`/api/stream?${query}`);
    this.#source = source;
    source.onopen = () => this.#become('open');
    source.onmessage = ({ data }: MessageEvent<string>) => this.#tell(JSON.parse(data) as StreamEvent);
    source.onerror = () => {
      this.#become('lost');
      source.close();
      // By hand, because a browser gives up for good after an answer that is no stream.
      this.#retry = setTimeout(() => this.#open(), RETRY_MS);
    };
  }

  #tell(event: StreamEvent): void {
    for (const listener of this.#topics.get(event.topic) ?? []) listener(event);
  }

  #become(status: StreamStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    for (const watcher of this.#watchers) watcher();
  }
}
