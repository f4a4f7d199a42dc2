import type { TargetLink } from '../targets/target-link.ts';
import { LiveFeed } from './live-feed.ts';

/** What happens on each server, by server. */
export class LiveFeeds {
  readonly #feeds = new Map<TargetLink, LiveFeed>();

  of(link: TargetLink): LiveFeed {
    const feed = this.#feeds.get(link) ?? new LiveFeed(link);
    this.#feeds.set(link, feed);
    return feed;
  }

  remove(link: TargetLink): void {
    this.#feeds.get(link)?.close();
    this.#feeds.delete(link);
  }

  close(): void {
    for (const feed of this.#feeds.values()) feed.close();
  }
}
