import type { JournalRecord } from '../journal/index.ts';

/** A record in the journal of a cluster, without its body. */
export interface Entry {
  /** Which episode it is of: a hash of its key. */
  readonly place: string;
  /** Grows with each record of the place; not by one. */
  readonly position: number;
  /** Whose the episode is since this record. */
  readonly node: string;
  /** Grows with each change of its owner. */
  readonly epoch: number;
  /** Tells this record from all others. */
  readonly id: string;
  readonly type: string;
  /** In ms since 1970. */
  readonly at: number;
}

/** The record that another one comes after; 0 and 0 where there is none. */
export type Predecessor = Pick<Entry, 'position' | 'epoch'>;

/** What is written. */
export interface Addition<Kept extends JournalRecord = JournalRecord> extends Pick<Entry, 'node' | 'epoch' | 'id'> {
  readonly record: Kept;
}

/** All that is written of an episode. */
export interface Chapter<Kept extends JournalRecord = JournalRecord> {
  /** In order; never empty. */
  readonly records: readonly Kept[];
  readonly last: Entry;
}

/**
 * A journal that all nodes of a cluster share. It is the lease and the fence as well: each append says after which record, and only
 * one append after each record succeeds. There is no other lock.
 */
export interface SharedJournal<Kept extends JournalRecord = JournalRecord> {
  /** Whether bodies are encrypted, so that secrets may be in them. */
  readonly isEncrypted: boolean;
  /** The last record of a place. May be behind, but never ahead of what `append` compares with. */
  last(place: string): Promise<Entry | undefined>;
  /** All records of a place; at least up to what `last` tells at this moment. */
  read(place: string): Promise<Chapter<Kept> | undefined>;
  /**
   * Adds a record after the one at `after` (0: there is none), and resolves with its position once it is durable. Rejects with `Fenced`
   * if another record is the last one, and with `Unreachable` if nobody knows whether it was written.
   */
  append(place: string, addition: Addition<Kept>, after: number): Promise<number>;
  /** Removes the records of a place before a position. */
  prune(place: string, before: number): Promise<void>;
  /** The last record of each place. What changes meanwhile may be told or not. */
  scan(): AsyncIterable<Entry>;
}

/** The journal cannot be reached, or did not answer in time. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}
