import { BEATS, type Beat, type Bus, InvalidNatsAddress, openBus } from '../../cluster/index.ts';
import { InvalidJournalKey } from '../../journal/index.ts';
import { misuse } from '../shared/failure.ts';

/** Nodes by id, as they were heard last. */
export type Beats = ReadonlyMap<string, Beat>;

// Each node beats four times a second.
const LISTEN_MS = 800;

/** Connects to a cluster, and gives what its nodes say of themselves; it grows as long as `look` runs. */
export async function watchBeats<Value>(
  nats: string,
  look: (beats: Beats, bus: Bus) => Promise<Value> | Value,
): Promise<Value> {
  const key = process.env.TILTYARD_JOURNAL_KEY;
  const { bus, close } = await openBus(nats, key === undefined ? [] : [key]).catch((thrown) => {
    if (thrown instanceof InvalidJournalKey) throw misuse(`TILTYARD_JOURNAL_KEY: ${thrown.message}`);
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
