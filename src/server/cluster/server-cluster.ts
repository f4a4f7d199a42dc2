import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import {
  ClusterHost,
  HeldJournal,
  type HomeHost,
  type OpenCluster,
  openCluster,
  processClock,
} from '../../cluster/index.ts';
import type { Limits } from '../../core/index.ts';
import { type EpisodeRecord, JournalKeeper } from '../../durable/index.ts';
import type { SessionHost, SessionOptions } from '../../sessions/index.ts';
import { version } from '../../version.ts';
import type { ServerDurability } from '../durable/server-journal.ts';
import { ClusterNumbers } from '../observe/cluster-metrics.ts';
import type { ClusterOption } from './option.ts';

/** The part of a server that belongs to a cluster. */
export interface ServerCluster extends ServerDurability {
  readonly numbers: ClusterNumbers;
  /** Puts the cluster around the sessions of this server. */
  readonly around: (home: HomeHost, options: SessionOptions) => SessionHost;
}

/** Joins a cluster, which the server leaves when it closes. */
export async function serverCluster(
  app: FastifyInstance,
  { nats, nodeName, replicas, keys = [] }: ClusterOption,
  limits: Limits,
): Promise<ServerCluster> {
  const id = `${nodeName}-${randomBytes(4).toString('hex')}`;
  const cluster = await openCluster<EpisodeRecord>({ nats, name: `tiltyard ${nodeName}`, keys, replicas });
  warnOfOneReplica(app, cluster);
  // Before any other such hook is added, and so after all of them: sessions write until they have ended.
  app.addHook('onClose', () => cluster.close());
  const journal = new HeldJournal(cluster.journal, id, processClock);
  app.addHook('onClose', () => journal.close());
  const numbers = new ClusterNumbers();
  let host: ClusterHost | undefined;
  app.addHook('onClose', async () => host?.close());
  return {
    instance: cluster.instance,
    keeper: (runtime, options) => new JournalKeeper(runtime, options, { journal }),
    callKeeper: undefined,
    numbers,
    around(home, options) {
      const self = { id, name: nodeName, version, since: Date.now(), maxSessions: limits.maxSessions };
      const { bus, journal: shared } = cluster;
      const parts = { clock: processClock, bus, shared, journal, home, self, options };
      host = new ClusterHost({ ...parts, observer: numbers });
      numbers.membership = host.membership;
      return host;
    },
    async recover() {
      host?.start();
      app.log.info({ node: id, instance: cluster.instance }, 'joined the cluster');
    },
  };
}

function warnOfOneReplica(app: FastifyInstance, { replicas }: OpenCluster<EpisodeRecord>): void {
  if (replicas > 1) return;
  const message =
    "the cluster's journal is on one server of NATS: a loss of power there can lose up to 2 minutes of it, unless that server has `sync_interval: always`. Three servers keep it safe";
  app.log.warn({ replicas }, message);
}
