import { RecordError } from '../../records/index.ts';
import { misuse } from './failure.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  // A part of its path is a file.
  ENOTDIR: 'does not exist',
  EISDIR: 'is a folder',
  EACCES: 'cannot be read: permission denied',
};

/** Why a file cannot be read, without the words of the operating system; the name of the file comes before it. */
export function whyUnreadable(thrown: unknown): string {
  const { code = '', message } = thrown as NodeJS.ErrnoException;
  return REASONS[code] ?? `cannot be read: ${message}`;
}

/** What to throw when a record that the command line names cannot be read. */
export function toRecordMisuse(thrown: unknown): unknown {
  if (!(thrown instanceof RecordError)) return thrown;
  const { file, message, cause } = thrown;
  return misuse(cause === undefined ? message : `${file} ${whyUnreadable(cause)}. ${RECORDS}`);
}

const RECORDS = 'Name a record: play --record, serve --record and run write them (*.jsonl)';
