import { type Bus, type Clock, ClusterHost, HeldJournal, type SharedJournal } from '../../src/cluster/index.ts';
import type { Catalog } from '../../src/core/index.ts';
import { type EpisodeRecord, JournalKeeper } from '../../src/durable/index.ts';
import { DEFAULT_SESSION_OPTIONS, LocalHost, LocalRuntime, type SessionOptions } from '../../src/sessions/index.ts';
import { dateOf } from './borrowed-time.ts';
import type { ServedHost } from './door.ts';
import type { Life } from './life.ts';

/** Shorter than those of a server, so that sessions expire within a schedule, and longer than any fault. */
export const OPTIONS: SessionOptions = {
  ...DEFAULT_SESSION_OPTIONS,
  idleMs: 45_000,
  tombstoneMs: 120_000,
  drainMs: 2_000,
  // So that a node is small: there are many thousands of them, one after the other.
  maxKeptBytes: 1_000_000,
  maxMemoryBytes: 100_000_000,
  maxMemoryBytesPerIdentity: 100_000_000,
};

/** What a node needs of the world. */
export interface NodeParts {
  readonly life: Life;
  readonly bus: Bus;
  readonly journal: SharedJournal<EpisodeRecord>;
  readonly catalog: Catalog;
}

/** A node as a server makes it, without its network: the same sessions, journal and cluster. To be called within its life. */
export function startNode({ life, bus, journal: shared, catalog }: NodeParts): ServedHost {
  const clock = clockOf(life);
  const journal = new HeldJournal(shared, life.id, clock);
  const runtime = new LocalRuntime(catalog, OPTIONS);
  const home = new LocalHost(runtime, OPTIONS, new JournalKeeper(runtime, OPTIONS, { journal }));
  const { maxSessions } = OPTIONS;
  const self = { id: life.id, name: `${life.node}`, version: 'simulated', since: clock.date(), maxSessions };
  const observer = { takenOver() {}, fenced() {}, appended() {} };
  const host = new ClusterHost({ clock, bus, shared, journal, home, self, options: OPTIONS, observer });
  host.start();
  return {
    create: (ref, request, isWanted) => host.create(ref, request, isWanted),
    prompt: (ref) => host.prompt(ref),
    call: (ref, request, on) => host.call(ref, request, on),
    end: (ref) => host.end(ref),
    drain: () => host.drain(),
    close: () => host.close(),
  };
}

function clockOf(life: Life): Clock {
  const { timeline } = life;
  const turn = () => new Promise<void>((resolve) => void life.soon(resolve));
  return {
    now: () => timeline.now,
    date: () => dateOf(timeline),
    after: (ms, run) => life.after(ms, run),
    async turn() {
      await turn();
      await turn();
    },
  };
}
