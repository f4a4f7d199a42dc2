import { Counter, Gauge, type Registry } from 'prom-client';
import type { ClusterObserver, Membership } from '../../cluster/index.ts';
import { publishHistogram } from './histogram.ts';
import { Histogram } from './numbers.ts';

/** In seconds: from a server of NATS on the same machine to one that is about to choose a leader. */
const LATENCIES: readonly number[] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2];

/** What a node counts of its cluster. */
export class ClusterNumbers implements ClusterObserver {
  takeovers = 0;
  fencedEpisodes = 0;
  readonly appends: Histogram = new Histogram(LATENCIES);
  /** Set once the node has one. */
  membership: Pick<Membership, 'alive' | 'isCutOff'> | undefined;

  takenOver(): void {
    this.takeovers += 1;
  }

  fenced(): void {
    this.fencedEpisodes += 1;
  }

  appended(ms: number): void {
    this.appends.add(ms / 1_000);
  }

  /** Shows them, and what the node knows of the others. */
  publish(registry: Registry): void {
    publishCluster(registry, this);
  }
}

function publishCluster(registry: Registry, numbers: ClusterNumbers): void {
  const registers = [registry];
  new Counter({
    name: 'tiltyard_takeovers_total',
    help: 'Episodes that this node has taken over from nodes that died or drained.',
    registers,
    collect() {
      this.reset();
      this.inc(numbers.takeovers);
    },
  });
  new Counter({
    name: 'tiltyard_fenced_total',
    help: 'Episodes that another node has taken over while this one was cut off or paused.',
    registers,
    collect() {
      this.reset();
      this.inc(numbers.fencedEpisodes);
    },
  });
  publishHistogram(registry, {
    name: 'tiltyard_journal_append_duration_seconds',
    help: 'How long it took until a record was durable in the journal of the cluster.',
    read: () => [[{}, numbers.appends]],
  });
  new Gauge({
    name: 'tiltyard_cluster_nodes',
    help: 'Nodes of the cluster that this one knows, by state. Cut off: it hears nobody, not even itself.',
    labelNames: ['state'],
    registers,
    collect() {
      const { alive = [], isCutOff = true } = numbers.membership ?? {};
      const draining = alive.filter((beat) => beat.draining).length;
      this.set({ state: 'alive' }, alive.length - draining);
      this.set({ state: 'draining' }, draining);
      this.set({ state: 'cut_off' }, isCutOff ? 1 : 0);
    },
  });
}
