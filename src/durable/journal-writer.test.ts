import { expect, test, vi } from 'vitest';
import { eventually } from '../../test/support/clock.ts';
import { Fenced, type JournalRecord, MemoryJournal } from '../journal/index.ts';
import { JournalWriter } from './journal-writer.ts';

/** A journal whose keys have owners, and that can be away. */
class Owned extends MemoryJournal<JournalRecord> {
  readonly isShared = true;
  tenancy = {};
  isAway = false;
  /** What the next append waits for. */
  late: Promise<void> | undefined;

  tenancyOf(): object {
    return this.tenancy;
  }

  override async append(key: string, record: JournalRecord, lastSeq: number, tenancy?: object): Promise<number> {
    const { late } = this;
    this.late = undefined;
    await late;
    if (this.isAway) throw new Error('it is away');
    if (tenancy !== this.tenancy) throw new Fenced('it is of another time');
    return super.append(key, record, lastSeq);
  }

  override async replace(key: string, record: JournalRecord | undefined, tenancy?: object): Promise<void> {
    if (this.isAway) throw new Error('it is away');
    if (tenancy !== this.tenancy) throw new Fenced('it is of another time');
    return super.replace(key, record);
  }
}

const log = { debug() {}, info() {}, warn() {}, error() {} };

test('what waits is of the time at which it was to be written', async () => {
  const journal = new Owned();
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

test('records stay in order, also if one fails late, when those after it wait already', async () => {
  const journal = new Owned();
  const writer = new JournalWriter(journal, { log, onFenced() {} });
  let fail = () => {};
  journal.late = new Promise((_, reject) => {
    fail = () => reject(new Error('no answer came'));
  });
  const first = writer.append('s', { type: 'first', at: 1 }, 0);
  journal.isAway = true;
  const other = writer.append('other', { type: 'other', at: 1 }, 0);
  await eventually(() => expect(writer.isFailing).toBe(true));
  const second = writer.append('s', { type: 'second', at: 2 }, 1);
  fail();
  journal.isAway = false;
  await Promise.all([first, second, other]);
  expect(journal.read('s').map(({ type }) => type)).toEqual(['first', 'second']);
  expect(writer.isFailing).toBe(false);
});

test.for([{}, { lastSeq: 0 }])(
  'whoever waits for the end of what another server has taken waits no longer: %o',
  async (place) => {
    const journal = new Owned();
    const writer = new JournalWriter(journal, { log, onFenced() {} });
    journal.isAway = true;
    const ended = writer.end('s', { type: 'close', at: 1 }, place);
    await eventually(() => expect(writer.isFailing).toBe(true));
    journal.tenancy = {};
    journal.isAway = false;
    expect(await ended).toBe(false);
    expect(writer.isFailing).toBe(false);
    expect(await writer.end('s', { type: 'close', at: 2 }, place)).toBe(true);
    expect(journal.read('s').map(({ at }) => at)).toEqual([2]);
  },
);

test('what waits when another server takes over the whole journal is refused', async () => {
  const journal = new Owned();
  Object.defineProperty(journal, 'isShared', { value: false });
  const onFenced = vi.fn();
  const writer = new JournalWriter(journal, { log, onFenced });
  journal.isAway = true;
  const ended = writer.end('s', { type: 'close', at: 1 });
  await eventually(() => expect(writer.isFailing).toBe(true));
  journal.tenancy = {};
  journal.isAway = false;
  expect(await ended).toBe(false);
  expect(onFenced).toHaveBeenCalledOnce();
  expect(writer.isFailing).toBe(true);
});
