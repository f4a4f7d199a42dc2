import { expect, test } from 'vitest';
import { eventually } from '../../test/support/clock.ts';
import { Fenced, type JournalRecord, MemoryJournal } from '../journal/index.ts';
import { JournalWriter } from './journal-writer.ts';

/** A journal whose keys have owners, and that can be away. */
class Owned extends MemoryJournal<JournalRecord> {
  readonly isShared = true;
  tenancy = {};
  isAway = false;

  tenancyOf(): object {
    return this.tenancy;
  }

  override async append(key: string, record: JournalRecord, lastSeq: number, tenancy?: object): Promise<number> {
    if (this.isAway) throw new Error('it is away');
    if (tenancy !== this.tenancy) throw new Fenced('it is of another time');
    return super.append(key, record, lastSeq);
  }
}

test('what waits is of the time at which it was to be written', async () => {
  const journal = new Owned();
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const writer = new JournalWriter(journal, { log, onFenced() {} });
  journal.isAway = true;
  void writer.append('s', { type: 'stale', at: 1 }, 0);
  await eventually(() => expect(writer.isFailing).toBe(true));
  journal.tenancy = {};
  const written = writer.append('s', { type: 'fresh', at: 2 }, 0);
  journal.isAway = false;
  await written;
  expect(journal.read('s').map(({ type }) => type)).toEqual(['fresh']);
});
