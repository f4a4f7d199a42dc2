import { Buffer } from 'node:buffer';
import { type Change, countAfter, type KeptChange } from './change.ts';
import { changeIn, type Frame } from './frames.ts';

/** A key, by its hash. */
export type KeyId = string;

/** What a hash is called in maps. */
export function idOf(hashed: Uint8Array): KeyId {
  return Buffer.from(hashed.buffer, hashed.byteOffset, hashed.byteLength).toString('latin1');
}

/** Changes of one key that follow each other, and how many records it has before and after them. */
export interface KeyChanges {
  readonly hashed: Buffer;
  readonly before: number;
  after: number;
  frames: Frame[];
}

/** A change of a key, and how many records that has before it. */
export interface Step {
  readonly id: KeyId;
  readonly change: Change;
  readonly before: number;
}

/**
 * Changes that are written down, and are not in the tables yet. Some of them may be on their way there: until they have arrived they are
 * here as well.
 */
export class Backlog {
  #staying = new Map<KeyId, KeyChanges>();
  #leaving = new Map<KeyId, KeyChanges>();
  /** Of those that are not on their way. */
  bytes = 0;

  get isEmpty(): boolean {
    return this.#staying.size === 0 && this.#leaving.size === 0;
  }

  /** Adds a change of a key, which stands at `frame`. */
  add({ id, change, before }: Step, frame: Frame): void {
    const { hashed, lastSeq, record, saved } = change;
    this.bytes += (record?.length ?? 0) + (saved?.length ?? 0);
    const known = this.#staying.get(id);
    const after = countAfter(change);
    if (known === undefined) {
      this.#staying.set(id, { hashed, before, after, frames: [frame] });
      return;
    }
    known.after = after;
    // What was there before it need never be in the tables.
    if (lastSeq === undefined) known.frames = [frame];
    else known.frames.push(frame);
  }

  /** How many records a key has after its changes; undefined if there are none. */
  countOf(id: KeyId): number | undefined {
    return (this.#staying.get(id) ?? this.#leaving.get(id))?.after;
  }

  /** The changes of a key, in order. Their bytes may be used for others later. */
  of(id: KeyId): readonly KeptChange[] {
    return [...(this.#leaving.get(id)?.frames ?? []), ...(this.#staying.get(id)?.frames ?? [])].map(changeIn);
  }

  /** The keys that have changes. */
  get ids(): ReadonlySet<KeyId> {
    return new Set([...this.#leaving.keys(), ...this.#staying.keys()]);
  }

  /** Those that go into the tables now: all, or again those that did not arrive. */
  leave(): ReadonlyMap<KeyId, KeyChanges> {
    if (this.#leaving.size === 0) {
      [this.#leaving, this.#staying] = [this.#staying, this.#leaving];
      this.bytes = 0;
    }
    return this.#leaving;
  }

  /** They have arrived. */
  arrived(): void {
    this.#leaving = new Map();
  }
}
