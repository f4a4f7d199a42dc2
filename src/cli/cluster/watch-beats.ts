import { BEATS, type Beat, type Bus, InvalidNatsAddress, openBus } from '../../cluster/index.ts';
import { misuse } from '../shared/failure.ts';
import { readJournalKeys } from '../shared/journal-keys.ts';

/** Nodes by id, as they were heard last. */
export type Beats = ReadonlyMap<string, Beat>;

// Each node beats four times a second.
const LISTEN_MS = 800;

/** Connects to a cluster, and gives what its nodes say of themselves; it grows as long as `look` runs. */
export async function watchBeats<Value>(
  nats: string,
  look: (beats: Beats, bus: Bus) => Promise<Value> | Value,
): Promise<Value> {
  const keys = readJournalKeys(process.env.TILTYARD_JOURNAL_KEY).map((key) => key.toString('hex'));
  const { bus, close } = await openBus(nats, keys).catch((thrown) => {
    throw thrown instanceof InvalidNatsAddress ? misuse(thrown.message) : thrown;
  });
  const beats = new Map<string, Beat>();
  try {
    bus.subscribe(BEATS, (message) => {
      const beat = message as Beat;
      if (beat.isLast === true) beats.delete(beat.id);
      else beats.set(beat.id, beat);
    });
    await new Promise((resolve) => setTimeout(resolve, LISTEN_MS));
    return await look(beats, bus);
  } finally {
    await close();
  }
}
