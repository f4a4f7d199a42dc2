import type { SessionHost } from '../../src/sessions/index.ts';
import type { Random } from '../random.ts';
import type { Life } from './life.ts';
import type { Timeline } from './timeline.ts';

/** A process that clients can reach. */
export interface Server {
  readonly life: Life;
  readonly host: ServedHost;
}

/** What is used of a node's host. */
export interface ServedHost extends Pick<SessionHost, 'create' | 'prompt' | 'call' | 'end' | 'drain'> {
  close(): void;
}

/** A request at a server: what it does there, as long as its client is there, and what that hears. */
export interface Exchange<Told> {
  readonly act: (host: ServedHost, tell: (told: Told) => void, isWanted: () => boolean) => void;
  readonly hear: (told: Told) => void;
  /** The connection has ended without, or after, anything that was told. */
  readonly cut: () => void;
}

const LATENCY_MS = 2;

/** The connections between clients and nodes: plain TCP, which loses nothing except what a dead process had not sent yet. */
export class Door {
  readonly #timeline: Timeline;
  readonly #chance: Random;

  constructor(timeline: Timeline, chance: Random) {
    this.#timeline = timeline;
    this.#chance = chance;
  }

  /** Sends a request; the returned function hangs up. */
  send<Told>(server: Server | undefined, { act, hear, cut }: Exchange<Told>): () => void {
    const timeline = this.#timeline;
    let isOpen = true;
    // What was sent arrives before the end of the connection does.
    let arrivesAt = timeline.now;
    const later = (run: () => void) => {
      arrivesAt = Math.max(arrivesAt, timeline.now) + this.#chance.next() * LATENCY_MS;
      timeline.at(arrivesAt, { run: () => void (isOpen && run()) });
    };
    if (server === undefined || server.life.state === 'dead') {
      later(cut);
      return () => {};
    }
    const { life, host } = server;
    const forget = life.onDeath(() => later(cut));
    // A response leaves its process at the end of a turn.
    const tell = (told: Told) => void life.soon(() => later(() => hear(told)));
    const at = timeline.now + this.#chance.next() * LATENCY_MS;
    timeline.at(at, { life, run: () => act(host, tell, () => isOpen) });
    return () => {
      isOpen = false;
      forget();
    };
  }
}
