import type { KeyChanges } from './backlog.ts';
import { changeIn } from './frames.ts';
import { newPlace, placeOf } from './places.ts';
import type { Stores } from './stores.ts';

// The tables copy a key at once.
const place = newPlace();

/** Makes the changes of a key in the tables. To be called within a transaction. */
export function putChanges(stores: Stores, { hashed, before, frames }: KeyChanges): void {
  const { keys, records, saved: states } = stores;
  for (const frame of frames) {
    const { lastSeq, name, record, saved } = changeIn(frame);
    if (lastSeq === undefined && before > 0) {
      for (let seq = record ? 2 : 1; seq <= before; seq++) records.remove(placeOf(hashed, seq, place));
      if (saved === undefined) states.remove(hashed);
      if (record === undefined) keys.remove(hashed);
    }
    if (name !== undefined) keys.put(hashed, name);
    if (record !== undefined) records.put(placeOf(hashed, (lastSeq ?? 0) + 1, place), record);
    if (saved !== undefined) states.put(hashed, saved);
  }
}
