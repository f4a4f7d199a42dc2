import { randomUUID } from 'node:crypto';
import { type JournalRecord, parseJournalKeys, Sealer } from '../../journal/index.ts';
import type { Bus } from '../bus.ts';
import type { SharedJournal } from '../shared-journal.ts';
import { connectNats, UnusableNats } from './connect.ts';
import { NatsBus } from './nats-bus.ts';
import { NatsJournal } from './nats-journal.ts';
import { type JetStreamManager, loadNats, type NatsConnection } from './nats-library.ts';

/** How a node joins a cluster. */
export interface ClusterAddress {
  /** Such as `nats://host:4222`; several separated by commas. */
  readonly nats: string;
  /** What operators of NATS see. */
  readonly name: string;
  /** Keys of 32 bytes, in hex or base64: the first one encrypts, all decrypt. */
  readonly keys: readonly string[];
  /** On how many servers of NATS each record is. Default: 3 where NATS is a cluster, otherwise 1. */
  readonly replicas?: number | undefined;
}

/** A cluster on NATS. */
export interface OpenCluster<Kept extends JournalRecord> {
  readonly bus: Bus;
  readonly journal: SharedJournal<Kept>;
  /** The same for all nodes, and for as long as the cluster has its journal. */
  readonly instance: string;
  /** On how many servers each record is. */
  readonly replicas: number;
  close(): Promise<void>;
}

const STREAM = 'TILTYARD';
const JOURNAL = 'tiltyard.journal';
const INSTANCE = 'tiltyard.instance';
const BUS = 'tiltyard.bus';

/** Connects to NATS, and makes the stream of the cluster if there is none. */
export async function openCluster<Kept extends JournalRecord>({
  nats,
  name,
  keys,
  replicas,
}: ClusterAddress): Promise<OpenCluster<Kept>> {
  const sealer = new Sealer(keys.flatMap(parseJournalKeys));
  const library = await loadNats();
  const connection = await connectNats(nats, name);
  try {
    const streams = await library.jetstreamManager(connection, { timeout: 5_000, checkAPI: false });
    const client = library.jetstream(connection, { timeout: 5_000 });
    const made = await patiently(() => ensureStream(streams, replicas ?? defaultReplicas(connection)));
    const instance = await patiently(() => instanceOf(connection, streams, library.headers));
    const maxPayload = () => connection.info?.max_payload ?? 1_048_576;
    const parts = {
      streams,
      client,
      makeHeaders: () => library.headers(),
      stream: STREAM,
      prefix: JOURNAL,
      sealer,
      maxPayload,
    };
    const bus = new NatsBus({ connection, prefix: BUS, makeHeaders: () => library.headers(), sealer });
    return {
      bus,
      journal: new NatsJournal<Kept>(parts),
      instance,
      replicas: made,
      close: () => bus.close(),
    };
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
}

/** Connects only to the nodes, for somebody who looks on; with the keys of the nodes. */
export async function openBus(
  nats: string,
  keys: readonly string[],
): Promise<{ readonly bus: Bus; close(): Promise<void> }> {
  const sealer = new Sealer(keys.flatMap(parseJournalKeys));
  const library = await loadNats();
  const connection = await connectNats(nats, 'tiltyard cluster');
  const bus = new NatsBus({ connection, prefix: BUS, makeHeaders: () => library.headers(), sealer });
  return { bus, close: () => bus.close() };
}

function defaultReplicas({ info }: NatsConnection): number {
  return (info as { cluster?: string } | undefined)?.cluster === undefined ? 1 : 3;
}

async function ensureStream({ streams }: JetStreamManager, replicas: number): Promise<number> {
  const found = await streams.info(STREAM).catch((thrown) => {
    if ((thrown as Error).name !== 'StreamNotFoundError') throw thrown;
  });
  if (found !== undefined) return found.config.num_replicas;
  const { config } = await streams.add({
    name: STREAM,
    description: 'The journal of a tiltyard cluster',
    subjects: [`${JOURNAL}.*`, INSTANCE],
    storage: 'file',
    num_replicas: replicas,
    // What is full refuses, and loses nothing.
    discard: 'new',
    // Reads must see what was written last: only the leader answers them.
    allow_direct: false,
  });
  return config.num_replicas;
}

/** The id of the cluster: the first node that comes makes it. */
async function instanceOf(
  connection: NatsConnection,
  { streams }: JetStreamManager,
  makeHeaders: typeof import('@nats-io/transport-node').headers,
): Promise<string> {
  const read = async () => (await streams.getMessage(STREAM, { last_by_subj: INSTANCE }).catch(() => null))?.string();
  const known = await read();
  if (known !== undefined) return known;
  const headers = makeHeaders();
  headers.set('Nats-Expected-Last-Subject-Sequence', '0');
  await connection.request(INSTANCE, randomUUID(), { headers, timeout: 5_000 });
  const made = await read();
  if (made === undefined) throw new Error('the id of the cluster could not be written');
  return made;
}

const PATIENCE_MS = 30_000;

/** Servers of NATS that have just started need a moment until they have chosen who leads. */
async function patiently<Value>(act: () => Promise<Value>): Promise<Value> {
  const since = performance.now();
  for (;;) {
    try {
      return await act();
    } catch (cause) {
      if (performance.now() - since > PATIENCE_MS)
        throw new UnusableNats(`NATS cannot keep the journal of the cluster: ${(cause as Error).message}`, { cause });
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}
