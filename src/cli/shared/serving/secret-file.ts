import { existsSync, readFileSync, statSync } from 'node:fs';
import { misuse } from '../failure.ts';

/** Writes a line for the person at the terminal. */
export type Warn = (message: string) => void;

/** The text of a file that holds secrets. */
export interface SecretFile {
  readonly text: string;
  /** The file in messages, with its path. */
  readonly where: string;
}

/** Reads the file that a variable names; one that every user can read is warned of. */
export function readSecretFile(variable: string, path: string, warn: Warn): SecretFile {
  const where = `the file ${isSurelyPath(path) ? `${path} ` : ''}that ${variable} names`;
  try {
    const text = readFileSync(path, 'utf8');
    if (isReadByAll(path)) warn(`every user of this machine can read ${where}. Restrict it: chmod 600 ${path}`);
    return { text, where };
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    // Without the cause, which names the path.
    throw misuse(`${where} cannot be read (${code}). ${variable} must be the path of a file that this user can read`);
  }
}

// Who mistakes the variable gives a secret in the place of a path, and no message may show it.
function isSurelyPath(text: string): boolean {
  const [firstFolder] = /^\/?[^/]+\//.exec(text) ?? [];
  return existsSync(text) || (firstFolder !== undefined && existsSync(firstFolder));
}

function isReadByAll(path: string): boolean {
  // Windows has other rights, and shows these as open.
  return process.platform !== 'win32' && (statSync(path).mode & 0o004) !== 0;
}
