import { onTestFinished } from 'vitest';
import { type Clock, ClusterHost, HeldJournal, processClock } from '../../src/cluster/index.ts';
import { catalog, type Environment } from '../../src/core/index.ts';
import { type EpisodeRecord, JournalKeeper } from '../../src/durable/index.ts';
import { DEFAULT_SESSION_OPTIONS, LocalHost, LocalRuntime, type SessionOptions } from '../../src/sessions/index.ts';
import { eventually } from '../support/clock.ts';
import { MemoryNetwork } from './memory-bus.ts';
import { MemorySharedJournal } from './memory-shared-journal.ts';

/** A cluster in this process. */
export class MemoryCluster {
  readonly network: MemoryNetwork = new MemoryNetwork();
  readonly shared: MemorySharedJournal<EpisodeRecord> = new MemorySharedJournal();
  readonly #environments: readonly Environment[];
  readonly #clock: Clock;

  constructor(environments: readonly Environment[], clock: Clock = processClock) {
    this.#environments = environments;
    this.#clock = clock;
  }

  /** Starts a node, and waits until it is part of the cluster. */
  async join(id: string, changes: Partial<SessionOptions> = {}): Promise<MemoryNode> {
    const options = { ...DEFAULT_SESSION_OPTIONS, ...changes };
    const runtime = new LocalRuntime(catalog(this.#environments), options);
    const journal = new HeldJournal(this.shared, id, this.#clock);
    const home = new LocalHost(runtime, options, new JournalKeeper(runtime, options, { journal }));
    const counts = { takeovers: 0, fenced: 0 };
    const host = new ClusterHost({
      clock: this.#clock,
      bus: this.network.bus(),
      shared: this.shared as never,
      journal,
      home,
      self: { id, name: id, version: '0', since: Date.now(), maxSessions: options.maxSessions },
      options,
      observer: {
        takenOver() {
          counts.takeovers += 1;
        },
        fenced() {
          counts.fenced += 1;
        },
        appended() {},
      },
    });
    host.start();
    onTestFinished(async () => {
      await host.drain();
      host.close();
    });
    await eventually(() => {
      if (host.membership.isCutOff) throw new Error('it hears nobody yet');
    });
    return { host, home, journal, counts };
  }
}

/** A node of it. */
export interface MemoryNode {
  readonly host: ClusterHost;
  readonly home: LocalHost;
  readonly journal: HeldJournal;
  readonly counts: { takeovers: number; fenced: number };
}
