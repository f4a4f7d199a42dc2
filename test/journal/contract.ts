import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { Fenced, type Journal, type JournalRecord } from '../../src/journal/index.ts';

/** A record as the tests write them. */
export interface Noted extends JournalRecord {
  readonly note?: unknown;
}

/** A record with something in it. */
export function noted(note: unknown, saved?: string): Noted {
  return { type: 'noted', at: 1_700_000_000_000, note, ...(saved === undefined ? {} : { saved }) };
}

/** What every journal must do. `open` gives a new and empty one. */
export function describeJournal(name: string, open: () => Promise<Journal<Noted>>): void {
  describe(`${name}: a journal`, () => {
    let journal: Journal<Noted>;
    beforeEach(async () => {
      journal = await open();
      return () => journal.close();
    });

    test('keeps the records of a key in order, and numbers them from 1', async () => {
      expect(await journal.append('a', noted(1), 0)).toBe(1);
      expect(await journal.append('a', noted({ deep: ['ü', null] }), 1)).toBe(2);
      expect(journal.read('a')).toEqual([noted(1), noted({ deep: ['ü', null] })]);
      expect(journal.read('b')).toEqual([]);
    });

    test('takes many appends of a key at once, in the order they were made', async () => {
      const seqs = await Promise.all(
        Array.from({ length: 300 }, (_, index) => journal.append('a', noted(index), index)),
      );
      expect(seqs).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
      expect(journal.read('a').map(({ note }) => note)).toEqual(Array.from({ length: 300 }, (_, index) => index));
    });

    test('writes what a record was when it was appended', async () => {
      const note = { value: 'before' };
      const appended = journal.append('a', noted(note), 0);
      note.value = 'after';
      await appended;
      if (journal.isPersistent) expect(journal.read('a')).toEqual([noted({ value: 'before' })]);
    });

    test('refuses a record whose number is taken, and changes nothing', async () => {
      await journal.append('a', noted('first'), 0);
      await expect(journal.append('a', noted('late'), 0)).rejects.toThrow(Fenced);
      await journal.append('a', noted('second'), 1);
      await expect(journal.append('a', noted('late'), 0)).rejects.toThrow(Fenced);
      expect(journal.read('a')).toEqual([noted('first'), noted('second')]);
    });

    test('of two appends with the same number in one turn, takes the first', async () => {
      const [first, second] = await Promise.allSettled([
        journal.append('a', noted('first'), 0),
        journal.append('a', noted('second'), 0),
      ]);
      expect(first).toEqual({ status: 'fulfilled', value: 1 });
      expect(second).toMatchObject({ status: 'rejected', reason: expect.any(Fenced) });
      expect(journal.read('a')).toEqual([noted('first')]);
    });

    test('leaves no gap: a record without the one before it is an error, but nobody took over', async () => {
      const refused = await journal.append('a', noted('third'), 2).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Error);
      expect(refused).not.toBeInstanceOf(Fenced);
      expect(journal.read('a')).toEqual([]);
      expect(journal.size).toBe(0);
    });

    test('J9: keeps only the last state that was saved', async () => {
      await journal.append('a', noted(1, '{"step":1}'), 0);
      expect(journal.read('a')).toEqual([noted(1, '{"step":1}')]);
      await journal.append('a', noted(2), 1);
      expect(journal.read('a')).toEqual([noted(1, '{"step":1}'), noted(2)]);
      await journal.append('a', noted(3, '{"step":3}'), 2);
      expect(journal.read('a')).toEqual([noted(1), noted(2), noted(3, '{"step":3}')]);
      const [entry] = journal.entries();
      // With or without the state: nobody who looks at all entries needs all states.
      expect(entry).toMatchObject({ key: 'a', first: noted(1), last: noted(3), lastSeq: 3 });
    });

    test('replaces all records of a key by one, from which it goes on', async () => {
      await journal.append('a', noted(1, '{}'), 0);
      await journal.append('a', noted(2), 1);
      await journal.append('b', noted('other'), 0);
      await journal.replace('a', noted('tombstone'));
      expect(journal.read('a')).toEqual([noted('tombstone')]);
      expect(await journal.append('a', noted('after'), 1)).toBe(2);
      expect(journal.read('a')).toEqual([noted('tombstone'), noted('after')]);
      expect(journal.read('b')).toEqual([noted('other')]);
      await journal.replace('new', noted('alone', '[1]'));
      expect(journal.read('new')).toEqual([noted('alone', '[1]')]);
    });

    test('removes a key, which can begin again', async () => {
      await journal.append('a', noted(1, '{}'), 0);
      await journal.append('a', noted(2), 1);
      await journal.replace('a', undefined);
      expect(journal.read('a')).toEqual([]);
      expect(journal.size).toBe(0);
      expect([...journal.entries()]).toEqual([]);
      await journal.replace('never there', undefined);
      expect(await journal.append('a', noted('again'), 0)).toBe(1);
      expect(journal.read('a')).toEqual([noted('again')]);
    });

    test('replaces what was appended in the same turn', async () => {
      await Promise.all([
        journal.append('a', noted(1, '{}'), 0),
        journal.append('a', noted(2), 1),
        journal.replace('a', noted('tombstone')),
        journal.append('a', noted('after'), 1),
        journal.append('b', noted(1), 0),
        journal.replace('b', undefined),
      ]);
      expect(journal.read('a')).toEqual([noted('tombstone'), noted('after')]);
      expect(journal.read('b')).toEqual([]);
      expect(journal.size).toBe(1);
    });

    test('lists every key with its first and last record', async () => {
      const keys = ['a', 'ab', 'a\0b', 'ü', '', 'long '.repeat(2000), '__proto__'];
      for (const key of keys) {
        await journal.append(key, noted('first'), 0);
        await journal.append(key, noted(key), 1);
      }
      expect(journal.size).toBe(keys.length);
      const entries = [...journal.entries()].sort((one, other) => keys.indexOf(one.key) - keys.indexOf(other.key));
      expect(entries).toEqual(keys.map((key) => ({ key, first: noted('first'), last: noted(key), lastSeq: 2 })));
    });

    test('can be changed while its entries are read', async () => {
      for (let index = 0; index < 20; index++) await journal.append(`k${index}`, noted(index), 0);
      let seen = 0;
      for (const { key } of journal.entries()) {
        seen++;
        await journal.replace(key, undefined);
        await nextTurn();
      }
      expect(seen).toBe(20);
      expect(journal.size).toBe(0);
    });

    test('keeps large records and states', async () => {
      const large = 'x'.repeat(3_000_000);
      await journal.append('a', noted(large, JSON.stringify(large)), 0);
      expect(journal.read('a')).toEqual([noted(large, JSON.stringify(large))]);
    });

    test('close waits for what is being written, and may be called twice', async () => {
      const appended = Promise.all(
        Array.from({ length: 50 }, (_, index) => journal.append(`k${index}`, noted(index), 0)),
      );
      const closed = journal.close();
      expect(await appended).toEqual(Array.from({ length: 50 }, () => 1));
      await closed;
      await journal.close();
      if (journal.isPersistent) await expect(journal.append('a', noted(1), 0)).rejects.toThrow('closed');
    });
  });
}
