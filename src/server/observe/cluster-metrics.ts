import type { Registry } from 'prom-client';
import type { ClusterObserver, Membership } from '../../cluster/index.ts';
import { Histogram } from './numbers.ts';
import { type Published, publishCounter, publishGauge, publishHistogram } from './publish.ts';

/** In seconds: from a server of NATS on the same machine to one that is about to choose a leader. */
const LATENCIES: readonly number[] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2];

/** What a node counts of its cluster. */
export class ClusterNumbers implements ClusterObserver, Published {
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

  publish(registry: Registry): void {
    publishCounter(registry, {
      name: 'tiltyard_takeovers_total',
      help: 'Episodes that this node has taken over from nodes that died or drained.',
      read: () => this.takeovers,
    });
    publishCounter(registry, {
      name: 'tiltyard_fenced_total',
      help: 'Episodes that another node has taken over while this one was cut off or paused.',
      read: () => this.fencedEpisodes,
    });
    publishHistogram(registry, {
      name: 'tiltyard_journal_append_duration_seconds',
      help: 'How long it took until a record was durable in the journal of the cluster.',
      read: () => [[{}, this.appends]],
    });
    publishGauge(registry, {
      name: 'tiltyard_cluster_nodes',
      help: 'Nodes of the cluster that this one knows, by state. Cut off: it hears nobody, not even itself.',
      labelNames: ['state'],
      read: () => {
        const { alive = [], isCutOff = true } = this.membership ?? {};
        const draining = alive.filter((beat) => beat.draining).length;
        return [
          [{ state: 'alive' }, alive.length - draining],
          [{ state: 'draining' }, draining],
          [{ state: 'cut_off' }, isCutOff ? 1 : 0],
        ];
      },
    });
  }
}
