import { randomUUID } from 'node:crypto';
import { downtimesOf, noteDowntime } from './downtimes.ts';
import { checkReadable, dataFile, hasData, isShort, keepPrivate, prepareFolder, UnusableJournal } from './folder.ts';
import type { JournalRecord } from './journal.ts';
import { LmdbJournal } from './lmdb-journal.ts';
import { LmdbMissing, loadLmdb } from './lmdb-library.ts';
import { OwnedTables } from './owned-tables.ts';
import { inUse, JournalInUse, lastBeat, ownerHere, ownership, untilSilent } from './owner.ts';
import { canReadAll, canWrite } from './probe.ts';
import { Sealer } from './sealer.ts';
import { checkSeals, writeSeal } from './seals.ts';
import { isUnfinished, openStores, type Stores } from './stores.ts';
import { takeInTails } from './tail-files.ts';

/** How a journal is opened. */
export interface JournalOptions<Kept extends JournalRecord = JournalRecord> {
  /** Keys of 32 bytes, as `parseJournalKeys` reads them: the first encrypts, all decrypt. Without any, bodies are in the clear. */
  readonly keys?: readonly Buffer[] | undefined;
  /**
   * When a record counts as written. `lazy`: when it survives the end of this process; a power failure may take the last moments.
   * `always`: when it is on the disk.
   */
  readonly sync?: 'lazy' | 'always' | undefined;
  /** Called once, when another process has taken over, because this one was silent: nothing can be written from then on. */
  readonly onFenced?: () => void;
  /** The JSON of a record, without what it saved; for those who know a faster way than `JSON.stringify`. */
  readonly toJson?: ((record: Kept) => string) | undefined;
  /** For tools that look after a journal for a moment: `lastAlive` stays what it was. */
  readonly isService?: boolean | undefined;
}

/** What a folder says about itself. */
interface Format {
  readonly version: number;
  readonly id: string;
}

const VERSION = 1;

/** What there was before this process came. */
interface Seen {
  readonly epoch: number;
  readonly lastAlive: number | undefined;
}

const NOTHING: Seen = { epoch: 0, lastAlive: undefined };

/**
 * Opens the journal in a folder, or makes one, and takes possession of it. Rejects with `JournalInUse` if another process writes to it,
 * and with `UnusableJournal` if the folder cannot be used.
 */
export async function openJournal<Kept extends JournalRecord = JournalRecord>(
  folder: string,
  { keys = [], sync = 'lazy', isService = true, toJson = withoutSaved, onFenced = () => {} }: JournalOptions<Kept> = {},
): Promise<LmdbJournal<Kept>> {
  const sealer = new Sealer(keys);
  // Before anything is made.
  await loadLmdb();
  prepareFolder(folder);
  const isNew = !hasData(folder);
  const seen = isNew ? NOTHING : await inspect(folder, sealer);
  const stores = await openOrExplain(folder, 'write');
  if (stores === undefined) throw new UnusableJournal(`cannot make a journal in ${folder}`);
  if (isNew) keepPrivate(folder);
  try {
    const epoch = seen.epoch + 1;
    const { meta } = stores;
    const format = meta.transactionSync((): Format => {
      const now = ownership(stores, folder);
      if (now.epoch !== seen.epoch) throw inUse(folder, now.owner ?? ownerHere(folder));
      const known = (meta.get('format') as Format | undefined) ?? { version: VERSION, id: randomUUID() };
      meta.put('format', known, 0);
      meta.put('owner', ownerHere(folder), epoch);
      if (isService) {
        noteDowntime(stores, seen.lastAlive);
        meta.put('beat', { at: Date.now() }, 0);
      }
      writeSeal(stores, sealer);
      return known;
    });
    // Now that nobody else can tell anything more.
    const isOurs = await takeInTails(folder, stores, epoch).catch(async (thrown) => {
      await new OwnedTables(stores, epoch, folder).release();
      throw thrown;
    });
    if (!isOurs) throw inUse(folder, ownership(stores, folder).owner ?? ownerHere(folder));
    return new LmdbJournal<Kept>(stores, sealer, {
      id: format.id,
      lastAlive: seen.lastAlive,
      downtimes: downtimesOf(stores),
      epoch,
      folder,
      sync,
      isService,
      toJson,
      onFenced,
    });
  } catch (thrown) {
    await stores.environment.close();
    throw thrown;
  }
}

/** To copy a record takes longer than all else, and most have saved nothing. */
function withoutSaved(record: JournalRecord): string {
  return JSON.stringify(record.saved === undefined ? record : { ...record, saved: undefined });
}

/** The tables of a journal for reading, while another process may write to it. The caller closes them. */
export async function openForReading(folder: string, sealer: Sealer): Promise<Stores> {
  checkReadable(folder);
  if (!hasData(folder)) throw new UnusableJournal(`there is no journal in ${folder}`);
  if (isShort(folder) && !(await canReadAll(folder)))
    throw new UnusableJournal(`${dataFile(folder)} is damaged: its end is missing. Restore the folder from a backup`);
  const stores = await openOrExplain(folder, 'read');
  const format = stores?.meta.get('format') as Format | undefined;
  try {
    if (stores === undefined || format === undefined) throw new UnusableJournal(`there is no journal in ${folder}`);
    if (format.version > VERSION)
      throw new UnusableJournal(
        `the journal ${folder} was written by a newer version of tiltyard (format ${format.version}; this one knows ${VERSION}). Use that version`,
      );
    checkSeals(stores, sealer, folder);
    return stores;
  } catch (thrown) {
    await stores?.environment.close();
    throw thrown;
  }
}

/** Looks at a journal before it is taken: whether it can be read, and has no owner that is alive. */
async function inspect(folder: string, sealer: Sealer): Promise<Seen> {
  if (!isShort(folder) && (await isUnfinished(folder).catch(() => false))) return NOTHING;
  // For reading only: a process that was stopped within a transaction would block every writer.
  const stores = await openForReading(folder, sealer);
  try {
    const silent = await untilSilent(stores, folder);
    if (silent && !(await canWrite(folder)))
      throw new JournalInUse(
        `process ${silent.pid} on ${silent.host} was stopped while it wrote to the journal ${folder}, and holds its lock. Let it go on, or end it: kill -9 ${silent.pid}`,
      );
    stores.environment.resetReadTxn();
    return { epoch: ownership(stores, folder).epoch, lastAlive: lastBeat(stores) };
  } finally {
    await stores.environment.close();
  }
}

async function openOrExplain(folder: string, use: 'read' | 'write'): Promise<Stores | undefined> {
  try {
    return await openStores(folder, use);
  } catch (cause) {
    if (cause instanceof LmdbMissing) throw cause;
    throw new UnusableJournal(
      `cannot open ${dataFile(folder)} (${(cause as Error).message}). If it is damaged, restore the folder from a backup`,
      { cause },
    );
  }
}
