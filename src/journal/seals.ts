import { UnusableJournal } from './folder.ts';
import { keyIdOf, type Sealer } from './sealer.ts';
import type { Stores } from './stores.ts';
import { readTails } from './tail-files.ts';

// By the id of each key that was ever used: a word that only this key opens.
type Seals = Readonly<Record<string, string>>;

const WORD = 'tiltyard';
const PLACE = Buffer.from('seal');

/** Remembers the key that seals, so that the next to open the journal hears at once if it has another. */
export function writeSeal({ meta }: Stores, sealer: Sealer): void {
  const { keyId } = sealer;
  const seals = sealsOf(meta);
  if (keyId === undefined || seals[keyId] !== undefined) return;
  meta.put('seals', { ...seals, [keyId]: sealer.seal(WORD, PLACE).toString('base64') }, 0);
}

/** Refuses a journal in which there is anything that these keys do not open. */
export function checkSeals(stores: Stores, sealer: Sealer, folder: string): void {
  const seals = sealsOf(stores.meta);
  const missing = Object.keys(seals).filter((id) => !sealer.has(id));
  // A key that nothing is sealed with any more may go. Only then is it worth looking at everything.
  const needed = missing.length === 0 ? [] : missing.filter((id) => usedKeys(stores, folder).has(id));
  if (needed.length > 0)
    throw new UnusableJournal(
      `the journal ${folder} is encrypted with a key that was not given (${needed.join(', ')}). Set TILTYARD_JOURNAL_KEY to it; after a rotation, to the new key, a comma and the old one`,
    );
  for (const [id, word] of Object.entries(seals))
    if (sealer.has(id) && sealer.open(Buffer.from(word, 'base64'), PLACE) !== WORD)
      throw new UnusableJournal(`the journal ${folder} is damaged: what it says about its keys is wrong`);
}

function sealsOf(meta: Stores['meta']): Seals {
  return (meta.get('seals') as Seals | undefined) ?? {};
}

function usedKeys(stores: Stores, folder: string): ReadonlySet<string> {
  const used = new Set<string>();
  for (const value of sealedIn(stores, folder)) {
    const id = keyIdOf(value);
    if (id !== undefined) used.add(id);
  }
  return used;
}

function* sealedIn(stores: Stores, folder: string): Generator<Buffer> {
  for (const store of [stores.keys, stores.records, stores.saved])
    for (const { value } of store.getRange()) yield value;
  const untabled = readTails(folder, stores);
  for (const id of untabled.ids)
    for (const { name, record, saved } of untabled.of(id))
      yield* [name, record, saved].filter((part) => part !== undefined);
}
