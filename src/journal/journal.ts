/** What a journal keeps: plain data that JSON can hold. */
export interface JournalRecord {
  /** What kind of record it is. */
  readonly type: string;
  /** When it was made, in milliseconds since 1970. */
  readonly at: number;
  /** The JSON of a state. A journal need not keep it once a later record of the same key has one. */
  readonly saved?: string | undefined;
}

/** The first and the last record of a key. What they saved may be missing: all states together would not fit into memory. */
export interface JournalEntry<Kept extends JournalRecord> {
  readonly key: string;
  readonly first: Kept;
  readonly last: Kept;
  /** The number of the last one. */
  readonly lastSeq: number;
}

/**
 * Keeps records by keys, in order, for one writer at a time. Reads are synchronous: a journal is in memory, or mapped into it, or what is
 * read was brought near before.
 */
export interface Journal<Kept extends JournalRecord = JournalRecord> {
  /** Whether what it keeps outlives this process. */
  readonly isPersistent: boolean;
  /** Whether bodies are encrypted, so that secrets may be in them. */
  readonly isEncrypted: boolean;
  /** Whether each key has an owner of its own: to be fenced from one of them is not to be fenced from all. Default: false. */
  readonly isShared?: boolean;
  /**
   * Adds a record after the one with the number `lastSeq` (0: it is the first). Resolves with its own number once it survives this
   * process. Appends of a key become durable in the order they were made. Rejects with `Fenced` if another record is there
   * already, or another writer has taken over: then nothing was written; and with `JournalFull` or another error if it could not be
   * written: then it may be tried again. Where keys have owners, `tenancy` says for which time of this server it is.
   */
  append(key: string, record: Kept, lastSeq: number, tenancy?: object): Promise<number>;
  /** Stands for the time for which this server has a key: another one once the key was lost and taken again. Only where keys have owners. */
  tenancyOf?(key: string): object | undefined;
  /** All records of a key, in order; none if there is no such key. */
  read(key: string): readonly Kept[];
  /** Brings the records of a key near; only where they are elsewhere, and then `read` has only what was brought. */
  load?(key: string): Promise<void>;
  /** What there is, in no particular order. */
  entries(): Iterable<JournalEntry<Kept>>;
  /** How many keys there are. */
  readonly size: number;
  /**
   * In one step: removes all records of a key, and leaves this one, if any, in their place, as number 1. Rejects as `append` does,
   * and then everything is as it was.
   */
  replace(key: string, record: Kept | undefined, tenancy?: object): Promise<void>;
  /** Waits for what is being written, and lets go of the files. */
  close(): Promise<void>;
}

/** Another writer has this key, or this journal. */
export class Fenced extends Error {
  override name = 'Fenced';
}

/** There is no room for a record. Nothing was written, nothing was lost, and it can be tried again. */
export class JournalFull extends Error {
  override name = 'JournalFull';
}
