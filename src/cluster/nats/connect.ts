import { parseNatsAddress } from './address.ts';
import { loadNats, type NatsConnection } from './nats-library.ts';
import { assertServer } from './server-version.ts';

// A connection that is cut without a word is noticed after this, twice.
const PING_MS = 1_000;
const RECONNECT_MS = 200;

/** NATS cannot be reached, or does not do what a cluster needs. */
export class UnusableNats extends Error {
  override name = 'UnusableNats';
}

/** Connects to NATS, and comes back whenever the connection is lost. `name` is what operators of NATS see. */
export async function connectNats(address: string, name: string): Promise<NatsConnection> {
  const { servers, isSecure, shown, ...credentials } = parseNatsAddress(address);
  const { connect } = await loadNats();
  const connection = await connect({
    ...credentials,
    ...(isSecure && { tls: {} }),
    servers: [...servers],
    name,
    pingInterval: PING_MS,
    maxPingOut: 2,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    timeout: 5_000,
    // With them, each record would cost two errors that nobody sees: a tenth of a call.
    noAsyncTraces: true,
  }).catch((cause) => {
    throw new UnusableNats(`cannot connect to NATS at ${shown} (${(cause as Error).message}). Is it running?`, {
      cause,
    });
  });
  try {
    assertServer(connection.info, shown);
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
  return connection;
}
