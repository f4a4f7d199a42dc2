import { BEATS, type Beat, type Bus, DEAD_AFTER_MS, InvalidNatsAddress, openBus } from '../../cluster/index.ts';
import { misuse } from '../shared/failure.ts';
import { readJournalKeys } from '../shared/journal-keys.ts';

/** Nodes by id, as they were heard last: without those that have left, or have gone silent. */
export type Beats = ReadonlyMap<string, Beat>;

// A node that is silent for so long is dead to the others.
const LISTEN_MS = DEAD_AFTER_MS;

// Longer, because it may be this process that stood still.
const SILENT_MS = 2 * DEAD_AFTER_MS;

/** Connects to a cluster, and gives what its nodes say of themselves; it changes as long as `look` runs. */
export async function watchBeats<Value>(
  nats: string,
  look: (beats: Beats, bus: Bus) => Promise<Value> | Value,
): Promise<Value> {
  const keys = readJournalKeys(process.env.TILTYARD_JOURNAL_KEY).map((key) => key.toString('hex'));
  const { bus, close } = await openBus(nats, keys).catch((thrown) => {
    throw thrown instanceof InvalidNatsAddress ? misuse(thrown.message) : thrown;
  });
  const beats = new Map<string, Beat>();
  const silences = new Map<string, NodeJS.Timeout>();
  try {
    bus.subscribe(BEATS, (message) => {
      const beat = message as Beat;
      const { id } = beat;
      clearTimeout(silences.get(id));
      if (beat.isLast === true) return void beats.delete(id);
      beats.set(id, beat);
      silences.set(
        id,
        setTimeout(() => beats.delete(id), SILENT_MS),
      );
    });
    await new Promise((resolve) => setTimeout(resolve, LISTEN_MS));
    return await look(beats, bus);
  } finally {
    for (const silence of silences.values()) clearTimeout(silence);
    await close();
  }
}
