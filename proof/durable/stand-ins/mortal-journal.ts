import type { Journal, JournalRecord } from '../../../src/journal/journal.ts';
import type { LmdbJournal } from '../../../src/journal/lmdb-journal.ts';
import { openJournal as open } from '../../../src/journal/open-journal.ts';
import type { Step } from '../failpoints.ts';
import { death, die } from './death.ts';

export { openForReading } from '../../../src/journal/open-journal.ts';

/** Opens a journal whose process dies where FAILPOINT says. */
export async function openJournal<Kept extends JournalRecord>(
  ...[folder, options]: Parameters<typeof open>
): Promise<LmdbJournal<Kept>> {
  if (death.before('open')) die();
  const journal = await open<Kept>(folder, options);
  death.after('open');
  return Object.assign(journal, mortal(journal));
}

function mortal<Kept extends JournalRecord>(
  journal: Journal<Kept>,
): Pick<Journal<Kept>, 'append' | 'replace' | 'read' | 'entries'> {
  const append = journal.append.bind(journal);
  const replace = journal.replace.bind(journal);
  const read = journal.read.bind(journal);
  const entries = journal.entries.bind(journal);
  return {
    append: (key, record, lastSeq) => write(stepOf(record), () => append(key, record, lastSeq)),
    replace: (key, record) => write(record === undefined ? 'drop' : stepOf(record), () => replace(key, record)),
    read(key) {
      if (death.before('read')) die();
      const records = read(key);
      death.after('read');
      return records;
    },
    *entries() {
      for (const entry of entries()) {
        if (death.before('recover')) die();
        yield entry;
        death.after('recover');
      }
    },
  };
}

async function write<Written>(step: Step, change: () => Promise<Written>): Promise<Written> {
  if (death.before(step)) return new Promise(() => {});
  const written = await change();
  death.after(step);
  return written;
}

function stepOf(record: JournalRecord): Step {
  return 'end' in record && record.end === 'lost' ? 'lost' : (record.type as Step);
}
