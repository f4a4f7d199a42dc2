import type { Database, RootDatabase } from 'lmdb';

export type { Database, RootDatabase };

type Library = typeof import('lmdb');

/** Loads `lmdb`, which is there only if somebody wants a journal on disk. */
export async function loadLmdb(): Promise<Library> {
  try {
    return await import('lmdb');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND')
      throw new LmdbMissing(
        "a journal on disk needs the package 'lmdb', which is not installed. Run: npm install lmdb",
        { cause },
      );
    throw new LmdbMissing(
      `the package 'lmdb' cannot be loaded (${(cause as Error).message}). Its binaries are optional dependencies; install it again, without --omit=optional: npm install lmdb`,
      { cause },
    );
  }
}

/** `lmdb` is not there, or does not run on this machine. */
export class LmdbMissing extends Error {
  override name = 'LmdbMissing';
}
