import type { JournalEntry } from '../journal/index.ts';
import type {
  EnvironmentManifest,
  LossReason,
  RecalledCall,
  Recovered,
  RecoveryPlaces,
  SessionEnd,
  SessionOptions,
  SessionRef,
  WhyLost,
} from '../sessions/index.ts';
import { type CallJournal, isCallKey } from './call-journal.ts';
import { toDormantEnd } from './dormant-end.ts';
import { type OnProgress, walkJournal } from './journal-walk.ts';
import type { JournalWriter } from './journal-writer.ts';
import { TOUCHES } from './keeping.ts';
import { recollect, toRecalledCall } from './past.ts';
import type { ServerRecord } from './records.ts';
import type { ServedSince } from './served-since.ts';
import { hasReadableCalls } from './session-journal.ts';

export const NOTHING: Recovered = { dormant: 0, ended: 0, lost: 0 };

/** What of a server's options concerns what an earlier one has left. */
export interface RecoveryOptions extends Pick<SessionOptions, 'tombstoneMs' | 'idleMs' | 'observer'> {
  readonly servedSince: ServedSince;
  /** Takes over the calls of toolkits. */
  readonly calls: Pick<CallJournal, 'adopt'> | undefined;
}

/** Finds out what became of the sessions of an earlier server. Those that go on are only noted: they are read when they are used. */
export class Recovery {
  readonly #disk: JournalWriter;
  readonly #places: RecoveryPlaces;
  readonly #environments: ReadonlyMap<string, EnvironmentManifest>;
  readonly #options: RecoveryOptions;
  readonly #counts = { ...NOTHING };

  constructor(
    disk: JournalWriter,
    places: RecoveryPlaces,
    environments: ReadonlyMap<string, EnvironmentManifest>,
    options: RecoveryOptions,
  ) {
    this.#disk = disk;
    this.#places = places;
    this.#environments = environments;
    this.#options = options;
  }

  async run(onProgress?: OnProgress): Promise<Recovered> {
    await walkJournal(this.#disk.journal, (entry) => this.#take(entry), onProgress);
    return this.#counts;
  }

  #take(entry: JournalEntry<ServerRecord>): void {
    if (isCallKey(entry.key)) return this.#options.calls?.adopt(entry);
    const remains = remainsOf(entry, this.#environments);
    switch (remains.kind) {
      case 'dormant':
        return this.#adopt(remains);
      case 'ended':
        return this.#bury(remains, entry.key);
      case 'lost':
        return this.#lose(remains, entry.key);
      case 'nothing':
        return void this.#disk.replace(entry.key, undefined);
    }
  }

  #adopt({ ref, lastSeq, usedAt }: Remains & { kind: 'dormant' }): void {
    this.#counts.dormant += 1;
    // It may have been used for some time after that was noted.
    const idle = this.#options.servedSince(usedAt) - this.#options.idleMs / TOUCHES;
    this.#places.adopt(ref, lastSeq, performance.now() - Math.max(0, idle));
  }

  #bury({ ref, end, why, at }: Remains & { kind: 'ended' }, key: string): void {
    this.#counts.ended += 1;
    const left = this.#options.tombstoneMs - this.#options.servedSince(at);
    if (left <= 0) return void this.#disk.replace(key, undefined);
    const calls = hasReadableCalls(end) ? () => this.#callsOf(key) : undefined;
    this.#places.bury(ref, { end, why, until: performance.now() + left, calls });
  }

  #lose({ ref, lastSeq, environment, why }: Remains & { kind: 'lost' }, key: string): void {
    this.#counts.lost += 1;
    const at = Date.now();
    const { reason, words } = why;
    const written = this.#disk.end(key, { type: 'close', at, ...ref, end: 'lost', why: words }, { lastSeq });
    // One end in all logs: whoever dies before it is written leaves it to the next server, which finds the same.
    const tell = () => {
      this.#options.observer.on({ type: 'session_not_recovered', at, ...ref, environment, lost: reason });
      this.#tellContent(key);
    };
    void written.then((isOurs) => void (isOurs && tell()));
    const until = performance.now() + this.#options.tombstoneMs;
    this.#places.bury(ref, { end: 'lost', why: words, until, calls: () => this.#callsOf(key) });
  }

  /** So that the record of a lost episode has an end; nothing is read where nobody asks. */
  #tellContent(key: string): void {
    const { observer } = this.#options;
    if (observer.onContent === undefined) return;
    const { opened, ended } = toDormantEnd(this.#disk.journal.read(key), this.#places.number(), 'lost');
    if (opened !== undefined) observer.onContent({ type: 'episode_lost', opened, ended });
  }

  #callsOf(key: string): readonly RecalledCall[] {
    return recollect(this.#disk.journal.read(key)).ended.map(toRecalledCall);
  }
}

/** What an earlier server left of a session. */
type Remains =
  /** It goes on when somebody asks for it. */
  | { readonly kind: 'dormant'; readonly ref: SessionRef; readonly lastSeq: number; readonly usedAt: number }
  /** It has ended, at this time. */
  | {
      readonly kind: 'ended';
      readonly ref: SessionRef;
      readonly end: SessionEnd;
      readonly why: string | undefined;
      readonly at: number;
    }
  /** It cannot go on. */
  | {
      readonly kind: 'lost';
      readonly ref: SessionRef;
      readonly lastSeq: number;
      readonly environment: string;
      readonly why: WhyLost;
    }
  /** It is of nobody. */
  | { readonly kind: 'nothing'; readonly key: string };

/** What the first and the last record of a session say of it. */
function remainsOf(
  { key, first, last, lastSeq }: JournalEntry<ServerRecord>,
  environments: ReadonlyMap<string, EnvironmentManifest>,
): Remains {
  if (last.type === 'close') {
    const { identity, sid, end, why, at } = last;
    return { kind: 'ended', ref: { identity, sid }, end, why, at };
  }
  if (first.type !== 'create') return { kind: 'nothing', key };
  const { identity, sid, environment, durability, start } = first;
  const ref = { identity, sid };
  const lost = (reason: LossReason, words: string): Remains => ({
    kind: 'lost',
    ref,
    lastSeq,
    environment,
    why: { reason, words },
  });
  if (durability === 'none')
    return lost('server_lost', `the server that ran it has ended, and environment '${environment}' keeps nothing`);
  if (start === undefined)
    return lost(
      'secrets_not_kept',
      'the server that ran it has ended, and has no key to keep secrets with (TILTYARD_JOURNAL_KEY)',
    );
  if (environments.get(environment)?.durability !== durability)
    return lost('environment_changed', `environment '${environment}' is no longer there, or is kept in another way`);
  return { kind: 'dormant', ref, lastSeq, usedAt: last.at };
}
