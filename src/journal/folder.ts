import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';

/** A folder that cannot be used as a journal; its message says why, and what to do. */
export class UnusableJournal extends Error {
  override name = 'UnusableJournal';
}

/** The file that LMDB keeps everything in. */
export function dataFile(folder: string): string {
  return join(folder, 'data.mdb');
}

/** Whether there is anything in the folder already. */
export function hasData(folder: string): boolean {
  const file = dataFile(folder);
  return existsSync(file) && statSync(file).size > 0;
}

/** Checks that a folder can be read, with what LMDB would crash on or not explain. */
export function checkReadable(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) throw new UnusableJournal(`there is no folder ${folder}`);
  if (!stats.isDirectory()) throw new UnusableJournal(`${folder} is a file; a journal is a folder`);
  if (hasData(folder)) checkData(dataFile(folder));
}

/** Makes the folder if it does not exist, and checks that it can be written to. */
export function prepareFolder(folder: string): void {
  try {
    // Results are in it: others on this machine need not read them.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    // A file in its place is told below.
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new UnusableJournal(`cannot make the folder ${folder}: ${(cause as Error).message}`, { cause });
  }
  checkReadable(folder);
  refuseForeign(folder);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    if (existsSync(dataFile(folder))) accessSync(dataFile(folder), constants.W_OK);
  } catch (cause) {
    const isReadOnly = (cause as NodeJS.ErrnoException).code === 'EROFS';
    const why = isReadOnly ? 'its file system is read-only' : `this user may not (${(cause as Error).message})`;
    throw new UnusableJournal(`cannot write to the journal ${folder}: ${why}`, { cause });
  }
  const network = NETWORKS.get(statfsSync(folder).type);
  if (network)
    throw new UnusableJournal(
      `the journal ${folder} is on a network file system (${network}), where LMDB would damage it. Choose a folder on a local disk`,
    );
}

/** A path that was mistyped must not put a journal among somebody's files. */
function refuseForeign(folder: string): void {
  if (existsSync(dataFile(folder))) return;
  const other = readdirSync(folder).find((name) => !name.startsWith('.') && !HARMLESS.has(name));
  if (other !== undefined)
    throw new UnusableJournal(
      `the folder ${folder} has other files in it ('${other}'), and no journal. Choose a new or an empty folder`,
    );
}

// LMDB's, of which nothing is left to lose; and what new file systems have at their root.
const HARMLESS: ReadonlySet<string> = new Set(['lock.mdb', 'lost+found']);

/** Makes the files of a journal readable for their owner alone, even if others may enter its folder. */
export function keepPrivate(folder: string): void {
  for (const name of readdirSync(folder)) if (name.endsWith('.mdb')) chmodSync(join(folder, name), 0o600);
}

// The numbers of statfs(2).
const NETWORKS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9p'],
]);

// Where LMDB writes what in a meta page; there are two of them.
const MAGIC = 0xbeefc0de;
const MAGIC_AT = 24;
const PAGE_SIZE_AT = 48;
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;
const META_BYTES = 160;
const LARGEST_PAGE = 65_536;

function checkData(file: string): void {
  const head = readHead(file);
  if (head.length >= META_BYTES && head.readUInt32LE(MAGIC_AT) === MAGIC) return;
  throw new UnusableJournal(
    `${file} is damaged, or was not written by LMDB. Restore the folder from a backup, or choose another one`,
  );
}

/** Whether the file ends before its last page. That is so if it was cut, and sometimes if its last pages are not in use. */
export function isShort(folder: string): boolean {
  const head = readHead(dataFile(folder));
  const pageSize = head.readUInt32LE(PAGE_SIZE_AT);
  if (head.length < pageSize + META_BYTES) return true;
  const [one, other] = [head, head.subarray(pageSize)];
  const latest = one.readBigUInt64LE(TRANSACTION_AT) > other.readBigUInt64LE(TRANSACTION_AT) ? one : other;
  const pages = Number(latest.readBigUInt64LE(LAST_PAGE_AT)) + 1;
  return statSync(dataFile(folder)).size < pages * pageSize;
}

function readHead(file: string): Buffer {
  const head = Buffer.alloc(LARGEST_PAGE + META_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    return head.subarray(0, readSync(descriptor, head, 0, head.length, 0));
  } finally {
    closeSync(descriptor);
  }
}
