import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { JournalFull, openJournal } from '../../src/journal/index.ts';
import { needed } from '../support/needed.ts';
import { smallDisk } from '../support/small-disk.ts';
import { type Noted, noted } from './contract.ts';

test.for(['lazy', 'always'] as const)(
  'J10: a full disk refuses records and loses none, and goes on when there is room (%s)',
  async (sync, context) => {
    const disk = await needed(context, 'a journal on a full disk', () => smallDisk(8));
    const journal = await openJournal<Noted>(join(disk, 'journal'), { sync });
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(6_000_000));
    let written = 0;
    let refusal: unknown;
    const large = 'x'.repeat(20_000);
    while (refusal === undefined && written < 1000)
      await journal.append('a', noted(large), written).then(
        () => written++,
        (error: unknown) => (refusal = error),
      );
    expect(refusal).toBeInstanceOf(JournalFull);
    expect((refusal as Error).message).toContain('make room on its disk');

    // Together with others: all of them fail, and none is half there.
    const together = await Promise.allSettled([
      journal.append('small', noted(1), 0),
      journal.append('b', noted(large.repeat(100)), 0),
      journal.append('small', noted(2), 1),
    ]);
    expect(together.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(journal.read('a')).toHaveLength(written);
    expect(journal.read('small')).toEqual([]);

    rmSync(ballast);
    expect(await journal.append('a', noted(large), written)).toBe(written + 1);
    expect(await journal.append('small', noted(1), 0)).toBe(1);
    await journal.close();

    const again = await openJournal<Noted>(join(disk, 'journal'));
    expect(again.read('a')).toHaveLength(written + 1);
    await again.close();
  },
);

test('J10: a journal can be closed while its disk is full', async (context) => {
  const disk = await needed(context, 'a journal on a full disk', () => smallDisk(8));
  const journal = await openJournal<Noted>(join(disk, 'journal'));
  const failed = journal.append('a', noted('x'.repeat(16_000_000)), 0);
  await expect(failed).rejects.toThrow(JournalFull);
  await journal.close();
});

test('J10: a server that starts while the disk is full says so, and leaves what was told for when there is room', async (context) => {
  const disk = await needed(context, 'a journal on a full disk', () => smallDisk(8));
  const folder = join(disk, 'journal');
  const journal = await openJournal<Noted>(folder);
  const ballast = join(disk, 'ballast');
  writeFileSync(ballast, Buffer.alloc(6_000_000));
  const large = 'x'.repeat(20_000);
  let told = 0;
  while (told < 1000) {
    const seq = await journal.append('a', noted(large), told).catch(() => undefined);
    if (seq === undefined) break;
    told = seq;
  }
  await journal.close();
  await expect(openJournal<Noted>(folder)).rejects.toThrow(JournalFull);
  rmSync(ballast);
  const again = await openJournal<Noted>(folder);
  expect(again.read('a')).toHaveLength(told);
  await again.close();
});
