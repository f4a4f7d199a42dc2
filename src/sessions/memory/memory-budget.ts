import type { Failure, Limits } from '../../core/index.ts';
import { isNobody } from '../identity.ts';
import { KeptResults } from '../kept/kept-results.ts';
import { type MemoryLimits, toMemoryLimits } from './memory-limits.ts';

/** Frees memory that stalled clients hold: of one identity, or of anybody. False if there is nothing to be freed. */
export type Reclaim = (identity: string | undefined) => boolean;

/** Whether memory is needed for an exchange, or stays until somebody ends a session. */
export type Term = 'short' | 'long';

// What stays leaves room for calls, without which nothing that stays could ever be ended.
const PART: Readonly<Record<Term, number>> = { short: 1, long: 0.75 };

/**
 * The memory that clients can make a server hold: bodies under way, tasks, secrets, inputs of running calls, kept results and
 * answers that nobody reads. All of them count against one limit, because each alone has a limit of its own, and together they
 * end a process. Each identity has a share, so that one that takes all it can get leaves room for the others.
 */
export class MemoryBudget {
  /** The results of all calls, which are part of it. */
  readonly kept: KeptResults;
  readonly limit: number;
  /** Whether anybody could have too much. Nearly always nobody has, and a call need not ask further. */
  isStrained = false;
  readonly #shareLimit: number;
  readonly #takenBy = new Map<string, number>();
  #taken = 0;
  #reclaim: Reclaim = () => false;

  constructor(limits: MemoryLimits & Pick<Limits, 'lingerMs'>) {
    const { lingerMs, maxKeptBytes, maxMemoryBytes, maxMemoryBytesPerIdentity } = toMemoryLimits(limits);
    this.limit = maxMemoryBytes;
    this.#shareLimit = maxMemoryBytesPerIdentity;
    this.kept = new KeptResults({ lingerMs, maxKeptBytes });
  }

  /** What is in use, kept results included. */
  get bytes(): number {
    return this.#taken + this.kept.bytes;
  }

  /** Says how stalled clients can be made to give their memory back. */
  reclaimBy(reclaim: Reclaim): void {
    this.#reclaim = reclaim;
  }

  /** Takes so much for an identity if it can be had, otherwise says why not. */
  take(identity: string, bytes: number, term: Term = 'short'): Failure | undefined {
    const refusal = this.refusal(identity, bytes, term);
    if (refusal === undefined) this.add(identity, bytes);
    return refusal;
  }

  /** Takes so much, even if it is too much: for what is there already. */
  add(identity: string, bytes: number): void {
    this.#taken += bytes;
    // Kept results take half of the limit at the most.
    this.isStrained = this.#taken >= Math.min(this.#shareLimit, this.limit / 2);
    if (isNobody(identity)) return;
    const taken = (this.#takenBy.get(identity) ?? 0) + bytes;
    if (taken === 0) this.#takenBy.delete(identity);
    else this.#takenBy.set(identity, taken);
  }

  giveBack(identity: string, bytes: number): void {
    this.add(identity, -bytes);
  }

  /** Why an identity cannot have so much more; undefined if it can. */
  refusal(identity: string, bytes: number, term: Term = 'short'): Failure | undefined {
    const part = PART[term];
    const share = this.#shareLimit * part;
    while (!isNobody(identity) && (this.#takenBy.get(identity) ?? 0) + bytes > share) {
      if (!this.#reclaim(identity)) return shareUsed(this.#shareLimit);
    }
    while (this.bytes + bytes > this.limit * part) {
      if (!this.#reclaim(undefined)) return allUsed(this.limit);
    }
    return undefined;
  }

  /** What an identity has taken beyond its share, or all together beyond the limit. */
  excess(identity: string): number {
    const own = isNobody(identity) ? 0 : (this.#takenBy.get(identity) ?? 0) - this.#shareLimit;
    return Math.max(0, own, this.bytes - this.limit);
  }
}

function shareUsed(limit: number): Failure {
  const message = `your sessions, calls and unread results hold all the memory that one identity may use (${limit} bytes). Read results or end sessions, then retry`;
  return { code: 'memory_share_used', message };
}

function allUsed(limit: number): Failure {
  const message = `the server holds as much for its clients as it may (${limit} bytes). Try again later`;
  return { code: 'memory_used', message };
}
