import { type Failure, TiltyardError } from '../core/index.ts';
import { type Journal, MemoryJournal } from '../journal/index.ts';
import {
  type CreateRequest,
  type EnvironmentManifest,
  type EpisodeKeeper,
  type EpisodeRuntime,
  type EpisodeStart,
  isEmpty,
  type KeptEpisode,
  keyOf,
  type OpenEpisode,
  type RecalledSession,
  type Recovered,
  type RecoveryPlaces,
  type SessionEnd,
  type SessionMemory,
  type SessionOptions,
  type SessionRef,
  type UnfinishedCall,
} from '../sessions/index.ts';
import type { CallJournal } from './call-journal.ts';
import { toDormantEnd } from './dormant-end.ts';
import { DurableEpisode } from './durable-episode.ts';
import { toUnknownRecord } from './end-record.ts';
import type { Rebuilt } from './incarnations.ts';
import type { OnProgress } from './journal-walk.ts';
import { JournalWriter } from './journal-writer.ts';
import { digestOf, JournalKeeping } from './keeping.ts';
import { recollect, toRecalledCall } from './past.ts';
import { type BeginRecord, type CreateRecord, type ServerRecord, toCloseRecord } from './records.ts';
import { NOTHING, Recovery } from './recovery.ts';
import { ALWAYS_SERVED, type ServedSince } from './served-since.ts';
import { SessionJournal } from './session-journal.ts';
import { SuspectTurns } from './suspect-turns.ts';
import { UNAVAILABLE } from './unavailable.ts';

/** How episodes are kept. */
export interface KeeperOptions {
  /** What outlives the server; without it, episodes outlive only the processes of workers. */
  readonly journal?: Journal<ServerRecord> | undefined;
  /** For how long servers have run on it since a time, in ms. */
  readonly servedSince?: ServedSince | undefined;
  /** Called once, when another server has taken over the journal. */
  readonly onFenced?: () => void;
  /** Takes over the calls of toolkits that are in the same journal. */
  readonly calls?: Pick<CallJournal, 'adopt'> | undefined;
}

/** Keeps episodes for after the process that runs them: that of a worker, and with a journal on disk also that of the server. */
export class JournalKeeper implements EpisodeKeeper {
  readonly #runtime: EpisodeRuntime;
  readonly #options: SessionOptions;
  readonly #environments: ReadonlyMap<string, EnvironmentManifest>;
  readonly #inMemory: JournalWriter;
  readonly #onDisk: JournalWriter | undefined;
  readonly #servedSince: ServedSince;
  readonly #calls: KeeperOptions['calls'];
  readonly #turns = new SuspectTurns();
  #hasWarned = false;

  constructor(
    runtime: EpisodeRuntime,
    options: SessionOptions,
    { journal, servedSince = ALWAYS_SERVED, onFenced = () => {}, calls }: KeeperOptions = {},
  ) {
    this.#servedSince = servedSince;
    this.#calls = calls;
    this.#runtime = runtime;
    this.#options = options;
    this.#environments = new Map(runtime.manifest.environments.map((each) => [each.name, each]));
    const { log } = options;
    this.#inMemory = new JournalWriter(new MemoryJournal<ServerRecord>(), { log, onFenced });
    this.#onDisk = journal && new JournalWriter(journal, { log, onFenced });
  }

  get refusal(): Failure | undefined {
    return this.#onDisk?.isFailing === true ? UNAVAILABLE : undefined;
  }

  async open(
    ref: SessionRef,
    request: CreateRequest,
    start: EpisodeStart,
    memory: SessionMemory,
  ): Promise<KeptEpisode> {
    const opened = await this.#runtime.open(start);
    const environment = this.#environmentOf(opened.environment);
    const disk = this.#onDisk;
    // Results may quote secrets, so without a key nothing of such an episode may be written.
    const isSealed = isEmpty(start.secrets) || disk?.journal.isEncrypted === true;
    if (disk !== undefined && !isSealed) this.#warnOfSecrets();
    const record = toCreateRecord(ref, request, start, opened, environment);
    const journals: SessionJournal[] = [];
    const add = async (writer: JournalWriter, first: CreateRecord) => {
      const journal = new SessionJournal(writer, keyOf(ref), memory);
      journals.push(journal);
      await durably(journal, first);
    };
    try {
      if (disk !== undefined && isSealed) await add(disk, record);
      else if (environment.durability !== 'none') await add(this.#inMemory, record);
      if (disk !== undefined && !isSealed) await add(disk, { ...record, start: undefined });
    } catch (thrown) {
      for (const journal of journals) void journal.drop();
      void opened.close('it could not be written down');
      throw thrown;
    }
    const [journal] = journals;
    const keeping = journal && new JournalKeeping(record, this.#options.idleMs, journals);
    const isDurable = journal !== undefined && (isSealed || environment.durability !== 'none');
    const episode = isDurable ? this.#durable(environment, start, journal, opened) : opened;
    return { episode, keeping };
  }

  recall(ref: SessionRef, session: number, lastSeq: number, memory: SessionMemory): RecalledSession {
    const disk = this.#onDisk as JournalWriter;
    const records = disk.journal.read(keyOf(ref));
    const create = records[0] as CreateRecord;
    const { choice, secrets } = create.start as NonNullable<CreateRecord['start']>;
    const environment = this.#environmentOf(create.environment);
    const writtenAt = records.at(-1)?.at ?? create.at;
    const journal = new SessionJournal(disk, keyOf(ref), memory, { lastSeq, writtenAt });
    const start = { session, sid: ref.sid, environment: create.environment, choice, secrets, seed: create.seed };
    const { ended, unfinished } = recollect(records);
    const isExternal = ({ call }: BeginRecord) => environment.effects[call.tool] === 'external';
    const unknown = unfinished.filter(isExternal).map(toUnknownRecord);
    for (const record of unknown) void journal.append(record);
    return {
      createdAt: create.at,
      choice,
      seed: create.seed,
      secrets,
      bytes: JSON.stringify([choice, secrets]).length,
      episode: this.#durable(environment, start, journal, undefined),
      keeping: new JournalKeeping(create, this.#options.idleMs, [journal]),
      ended: [...ended, ...unknown].map(toRecalledCall),
      unfinished: unfinished.filter((record) => !isExternal(record)).map(toUnfinishedCall),
    };
  }

  async recover(places: RecoveryPlaces, onProgress?: OnProgress): Promise<Recovered> {
    const disk = this.#onDisk;
    if (disk === undefined) return NOTHING;
    const options = { ...this.#options, servedSince: this.#servedSince, calls: this.#calls };
    return new Recovery(disk, places, this.#environments, options).run(onProgress);
  }

  async endDormant(ref: SessionRef, session: number, end: SessionEnd): Promise<void> {
    const disk = this.#onDisk as JournalWriter;
    const records = disk.journal.read(keyOf(ref));
    const { started, opened, ended } = toDormantEnd(records, session, end);
    const isEnded = await disk.end(keyOf(ref), toCloseRecord(records[0] as CreateRecord, end));
    if (!isEnded) return;
    const { observer } = this.#options;
    observer.on(started);
    if (opened !== undefined) observer.onContent?.(opened);
    observer.on(ended);
  }

  forget(key: string): void {
    void this.#onDisk?.replace(key, undefined);
  }

  #durable(
    environment: EnvironmentManifest,
    start: EpisodeStart,
    journal: SessionJournal,
    opened: OpenEpisode | undefined,
  ): DurableEpisode {
    const { setupMs } = this.#options;
    const turns = this.#turns;
    const open = (again: EpisodeStart) => this.#runtime.open(again);
    const onRebuilt = (rebuilt: Rebuilt) => this.#tellRebuilt(start, environment.name, rebuilt);
    return new DurableEpisode({ environment, start, journal, open, setupMs, turns, onRebuilt }, opened);
  }

  #warnOfSecrets(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const message =
      'sessions come with secrets, and without a key for them (TILTYARD_JOURNAL_KEY) such episodes are not written down: they end with this server';
    this.#options.log.warn({}, message);
  }

  #tellRebuilt({ session, sid }: EpisodeStart, environment: string, { steps, durationMs }: Rebuilt): void {
    const at = Date.now();
    this.#options.observer.on({ type: 'session_rebuilt', at, session, sid, environment, steps, durationMs });
  }

  #environmentOf(name: string): EnvironmentManifest {
    return this.#environments.get(name) as EnvironmentManifest;
  }
}

/** Writes the first record; a client that begins something can come again, and so it does not wait for a disk that is full. */
async function durably(journal: SessionJournal, first: CreateRecord): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const { code, message } = UNAVAILABLE;
    journal.create(first, () => reject(new TiltyardError(code, message))).then(() => resolve(), reject);
  });
}

function toCreateRecord(
  { sid, identity }: SessionRef,
  request: CreateRequest,
  { seed }: EpisodeStart,
  { taskDigest }: OpenEpisode,
  { name, durability }: EnvironmentManifest,
): CreateRecord {
  const { choice, secrets } = request;
  const start = { choice, taskDigest, secrets };
  const at = Date.now();
  return {
    type: 'create',
    v: 1,
    at,
    sid,
    identity,
    environment: name,
    durability,
    seed,
    request: digestOf(request),
    start,
  };
}

function toUnfinishedCall({ call: { id, tool, input, attempt } }: BeginRecord): UnfinishedCall {
  return { id, tool, input: JSON.parse(input), attempt };
}
