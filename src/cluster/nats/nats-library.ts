import type { JetStreamClient, JetStreamManager, StoredMsg } from '@nats-io/jetstream';
import type { Msg, NatsConnection } from '@nats-io/transport-node';

export type { JetStreamClient, JetStreamManager, Msg, NatsConnection, StoredMsg };

type Library = typeof import('@nats-io/transport-node') & typeof import('@nats-io/jetstream');

/** Loads the packages of NATS, which are there only if somebody wants a cluster. */
export async function loadNats(): Promise<Library> {
  try {
    return { ...(await import('@nats-io/jetstream')), ...(await import('@nats-io/transport-node')) };
  } catch (cause) {
    throw new NatsMissing(
      'a cluster needs the packages of NATS, which are not installed. Run: npm install @nats-io/transport-node @nats-io/jetstream',
      { cause },
    );
  }
}

/** The packages of NATS are not there. */
class NatsMissing extends Error {
  override name = 'NatsMissing';
}
