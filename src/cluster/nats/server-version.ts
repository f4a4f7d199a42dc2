/** What a server says of itself when a client connects. */
export interface ServerInfo {
  readonly version: string;
  readonly jetstream?: boolean | undefined;
}

/** The oldest version that is tested. */
const OLDEST = '2.9.0';

/** Throws if a server is too old for a cluster, or keeps no streams. */
export function assertServer(info: ServerInfo | undefined, shown: string): void {
  const { version = 'unknown', jetstream } = info ?? {};
  if (isOlder(version, OLDEST))
    throw new UnsuitableServer(
      `nats-server ${version} at ${shown} is too old for a cluster: it must be ${OLDEST} or later. Update it`,
    );
  if (jetstream !== true)
    throw new UnsuitableServer(`nats-server at ${shown} keeps no streams. Start it with JetStream: nats-server -js`);
}

/** A server that a cluster cannot use. */
class UnsuitableServer extends Error {
  override name = 'UnsuitableServer';
}

function isOlder(version: string, oldest: string): boolean {
  const [own, least] = [toNumbers(version), toNumbers(oldest)];
  for (const [index, number] of least.entries()) {
    const { [index]: found = Number.NaN } = own;
    // What is no number is not known to be new enough.
    if (found !== number) return !(found > number);
  }
  return false;
}

function toNumbers(version: string): number[] {
  return version.split('-')[0]?.split('.').map(Number) ?? [];
}
