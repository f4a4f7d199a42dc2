import { type Database, loadLmdb, type RootDatabase } from './lmdb-library.ts';

/** The tables of a journal. Bodies are sealed; `meta` is in the clear. */
export interface Stores {
  readonly environment: RootDatabase;
  /** What holds for the whole journal. Versions are the epochs of owners. */
  readonly meta: Database<any, string>;
  /** By the hash of a key: the key. */
  readonly keys: Database<Buffer, Buffer>;
  /** By the hash of a key and a number: a record without what it saved. */
  readonly records: Database<Buffer, Buffer>;
  /** By the hash of a key: the last state that was saved. So that there is only one, and older records stay as they are. */
  readonly saved: Database<Buffer, Buffer>;
}

/** Opens the tables of a folder; for reading only, they must exist. */
export async function openStores(folder: string, use: 'read' | 'write'): Promise<Stores | undefined> {
  const { open } = await loadLmdb();
  // Appends come in batches of our own; lmdb's would have a promise whose rejection nobody could handle.
  const environment = open({ path: folder, readOnly: use === 'read', eventTurnBatching: false, noSubdir: false });
  const binary = { encoding: 'binary', keyEncoding: 'binary' } as const;
  const meta: Database<any, string> | undefined = environment.openDB('meta', { encoding: 'json', useVersions: true });
  const keys: Database<Buffer, Buffer> | undefined = environment.openDB('keys', binary);
  const records: Database<Buffer, Buffer> | undefined = environment.openDB('records', binary);
  const saved: Database<Buffer, Buffer> | undefined = environment.openDB('saved', binary);
  if (meta && keys && records && saved) return { environment, meta, keys, records, saved };
  await environment.close();
  return undefined;
}

const TABLES: ReadonlySet<unknown> = new Set(['meta', 'keys', 'records', 'saved']);

/** Whether somebody began to make a journal here, and was stopped before there was anything in it. */
export async function isUnfinished(folder: string): Promise<boolean> {
  const { open } = await loadLmdb();
  const environment = open({ path: folder, readOnly: true, noSubdir: false });
  try {
    if (![...environment.getKeys()].every((name) => TABLES.has(name))) return false;
    const meta: Database | undefined = environment.openDB('meta', { encoding: 'json', useVersions: true });
    return meta?.get('format') === undefined;
  } finally {
    await environment.close();
  }
}
