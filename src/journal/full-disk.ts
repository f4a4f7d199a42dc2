import { statfs } from 'node:fs/promises';
import { JournalFull } from './journal.ts';

/** What lmdb rejects with: why is told a moment later. */
interface CommitFailure extends Error {
  readonly commitError?: Promise<never>;
}

const NO_SPACE: ReadonlySet<unknown> = new Set([
  ...['ENOSPC', 'EDQUOT', 'EFBIG'],
  ...[28 /* ENOSPC */, 122 /* EDQUOT */, 27 /* EFBIG */, -30792 /* MDB_MAP_FULL */],
]);
const EIO = 5;
const SCARCE_BYTES = 1_000_000;

/** What is told of something that could not be written to the journal in a folder. */
export async function toJournalError(failure: CommitFailure, folder: string): Promise<Error> {
  const told = failure.commitError?.then(undefined, (error: Error) => error);
  const cause = told && (await Promise.race([told, new Promise<undefined>((resolve) => setTimeout(resolve, 100))]));
  const reason = (cause ?? failure) as Error & { code?: number | string };
  if (await isFull(reason.code, folder))
    return new JournalFull(
      `there is no room to write to the journal ${folder}. Nothing was lost: make room on its disk, and it goes on`,
      { cause: reason },
    );
  return new Error(`cannot write to the journal ${folder}: ${reason.message}`, { cause: reason });
}

async function isFull(code: number | string | undefined, folder: string): Promise<boolean> {
  if (code !== EIO) return NO_SPACE.has(code);
  // What LMDB says if only a part of what it had to write found room.
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < SCARCE_BYTES;
}
