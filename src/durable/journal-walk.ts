import type { Journal, JournalEntry } from '../journal/index.ts';
import type { ServerRecord } from './records.ts';

/** Hears how many keys were looked at. */
export type OnProgress = (done: number, all: number) => void;

// Other things must have their turn as well: progress is to be seen, and that this server is alive has to be written.
const AT_A_TIME = 5_000;

/** Looks at every key of a journal, when a server starts. */
export async function walkJournal(
  journal: Journal<ServerRecord>,
  take: (entry: JournalEntry<ServerRecord>) => void,
  onProgress: OnProgress = () => {},
): Promise<void> {
  const { size } = journal;
  let done = 0;
  for (const entry of journal.entries()) {
    take(entry);
    done += 1;
    if (done % AT_A_TIME !== 0) continue;
    onProgress(done, size);
    await new Promise(setImmediate);
  }
}
