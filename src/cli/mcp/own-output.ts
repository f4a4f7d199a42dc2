import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';

/**
 * Takes standard output for messages alone: what an author's code prints goes to standard error from now on, because one line of it would
 * break the connection.
 */
export function takeOutput(): Writable {
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  return createWriteStream('', { fd: 1, autoClose: false });
}
