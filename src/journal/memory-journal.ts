import { Fenced, type Journal, type JournalEntry, type JournalRecord } from './journal.ts';

/** A journal in memory: what it keeps survives a worker, not this process. */
export class MemoryJournal<Kept extends JournalRecord = JournalRecord> implements Journal<Kept> {
  readonly isPersistent = false;
  readonly isEncrypted = false;
  readonly #records = new Map<string, Kept[]>();

  async append(key: string, record: Kept, lastSeq: number): Promise<number> {
    const records = this.#records.get(key);
    const count = records?.length ?? 0;
    if (count > lastSeq) throw new Fenced(`record ${lastSeq + 1} is there already`);
    if (count < lastSeq) throw new Error(`cannot write record ${lastSeq + 1}, because the one before it is not there`);
    if (records === undefined) this.#records.set(key, [record]);
    else {
      if (record.saved !== undefined) dropSaved(records);
      records.push(record);
    }
    return lastSeq + 1;
  }

  read(key: string): readonly Kept[] {
    return [...(this.#records.get(key) ?? [])];
  }

  *entries(): Iterable<JournalEntry<Kept>> {
    for (const [key, records] of this.#records) {
      const [first] = records;
      const last = records.at(-1);
      if (first && last) yield { key, first, last, lastSeq: records.length };
    }
  }

  get size(): number {
    return this.#records.size;
  }

  async replace(key: string, record: Kept | undefined): Promise<void> {
    if (record === undefined) this.#records.delete(key);
    else this.#records.set(key, [record]);
  }

  async close(): Promise<void> {}
}

// Only the last that has one has to be looked at: those before it have lost theirs already.
function dropSaved(records: JournalRecord[]): void {
  const index = records.findLastIndex(({ saved }) => saved !== undefined);
  const record = records[index];
  if (record === undefined) return;
  const { saved: _, ...rest } = record;
  records[index] = rest;
}
