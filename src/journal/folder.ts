import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
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
    if (statSync(folder, { throwIfNoEntry: false })?.isFile() !== true)
      throw new UnusableJournal(`cannot make the folder ${folder}: ${(cause as Error).message}`, { cause });
  }
  checkReadable(folder);
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

// The numbers of statfs(2).
const NETWORKS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9p'],
]);

const MAGIC = 0xbeefc0de;
const HEAD_BYTES = 4096;
// LMDB's page header is 16 or 24 bytes long, and its magic number follows.
const MAGIC_PLACES = [16, 24];

function checkData(file: string): void {
  const head = Buffer.alloc(HEAD_BYTES);
  const descriptor = openSync(file, 'r');
  let length: number;
  try {
    length = readSync(descriptor, head, 0, HEAD_BYTES, 0);
  } finally {
    closeSync(descriptor);
  }
  if (length === HEAD_BYTES && MAGIC_PLACES.some((place) => head.readUInt32LE(place) === MAGIC)) return;
  throw new UnusableJournal(
    `${file} is damaged, or was not written by LMDB. Restore the folder from a backup, or choose another one`,
  );
}
