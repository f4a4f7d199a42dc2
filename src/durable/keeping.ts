import { hash } from 'node:crypto';
import type { CreateRequest, Keeping, SessionEnd } from '../sessions/index.ts';
import { type Begun, type CreateRecord, toCloseRecord } from './records.ts';
import type { SessionJournal } from './session-journal.ts';

/** So often within its idle time it is noted that a session is in use: not at each request, and often enough. */
export const TOUCHES = 4;

/** What is kept of one session in its journals. */
export class JournalKeeping implements Keeping {
  readonly survivesServer: boolean;
  readonly #begun: Begun;
  readonly #request: string;
  readonly #idleMs: number;
  readonly #journals: readonly SessionJournal[];

  /** Of several journals, the last one is on disk, and the others are not. */
  constructor(create: CreateRecord, idleMs: number, journals: readonly SessionJournal[]) {
    const { sid, identity, environment, durability, at, request } = create;
    this.survivesServer = durability !== 'none' && journals.every(({ isPersistent }) => isPersistent);
    // Not the whole record, which has the secrets and the task.
    this.#begun = { sid, identity, environment, durability, at };
    this.#request = request;
    this.#idleMs = idleMs;
    this.#journals = journals;
  }

  isFor(request: CreateRequest): boolean {
    return this.#request === digestOf(request);
  }

  touch(at: number): void {
    for (const journal of this.#journals)
      if (journal.isPersistent && at - journal.writtenAt > this.#idleMs / TOUCHES)
        void journal.append({ type: 'touch', at });
  }

  async end(end: SessionEnd, why: string | undefined): Promise<boolean> {
    const record = toCloseRecord(this.#begun, end, why);
    const written = await Promise.all(this.#journals.map((journal) => journal.close(record)));
    return written.every((isOurs) => isOurs);
  }

  async leave(): Promise<void> {
    await Promise.all(this.#journals.map((journal) => journal.leave()));
  }

  async drop(): Promise<void> {
    await Promise.all(this.#journals.map((journal) => journal.drop()));
  }
}

/** A hash of what a client asks for. Without the secrets: a short one could be guessed from it. */
export function digestOf({ environment = '', choice }: CreateRequest): string {
  return hash('sha256', JSON.stringify([environment.toLowerCase(), choice]), 'base64url');
}
