import { expect, test } from 'vitest';
import { PAGE_CALLS, type Page, PagePool } from './pages.ts';

const MB = 1024 * 1024;

function partsOf({ starts, lengths, owners, durations, fingerprints, keptAt }: Page) {
  return [starts, lengths, owners, durations, fingerprints, keptAt];
}

/** Writes into every part of a page. */
function fill(page: Page, value: number): void {
  for (const part of partsOf(page)) part.fill(value);
  page.bytes.fill(value);
}

test('no page shares anything with another, also across slabs', () => {
  const pool = new PagePool(MB);
  const pages = Array.from({ length: 40 }, () => pool.take());
  for (const [index, page] of pages.entries()) fill(page, index + 1);
  for (const [index, page] of pages.entries()) {
    for (const part of partsOf(page)) {
      expect(part).toHaveLength(PAGE_CALLS);
      expect(part.every((value) => value === index + 1)).toBe(true);
    }
    expect(page.bytes.every((value) => value === index + 1)).toBe(true);
  }
});

test('a page that was given back comes again, and is empty', () => {
  const pool = new PagePool(MB);
  const page = pool.take();
  fill(page, 7);
  page.used = 7;
  page.newestAt = 7;
  pool.giveBack(page);
  const again = pool.take();
  expect(again === page).toBe(true);
  expect(again).toMatchObject({ used: 0, newestAt: 0 });
  expect(again.lengths.every((length) => length === 0)).toBe(true);
  expect(pool.take() === page).toBe(false);
});

test('what nobody needed since the last sweep is freed', () => {
  const pool = new PagePool(MB);
  const page = pool.take();
  pool.giveBack(page);
  pool.sweep();
  expect(pool.take() === page).toBe(false);
});

test('a pool for little takes little', () => {
  const bytesOf = (maxBytes: number) => new PagePool(maxBytes).take().bytes.buffer.byteLength;
  expect(bytesOf(1)).toBeLessThan(128 * 1024);
  expect(bytesOf(MB)).toBeLessThan(2 * MB);
  expect(bytesOf(1024 * MB)).toBeLessThan(10 * MB);
});

test('a pool that was cleared begins anew', () => {
  const pool = new PagePool(MB);
  const page = pool.take();
  pool.giveBack(page);
  pool.clear();
  const next = pool.take();
  expect(next === page).toBe(false);
  expect(next.bytes.buffer === page.bytes.buffer).toBe(false);
});
