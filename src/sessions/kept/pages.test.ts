import { describe, expect, test } from 'vitest';
import { BLOCK_BYTES, BlockPool, PAGE_CALLS, Page } from './pages.ts';

const MB = 1024 * 1024;

describe('blocks', () => {
  test('share nothing with each other, also across slabs', () => {
    const pool = new BlockPool(MB);
    const blocks = Array.from({ length: 40 }, () => pool.take());
    for (const [index, block] of blocks.entries()) block.fill(index + 1);
    for (const [index, block] of blocks.entries()) {
      expect(block).toHaveLength(BLOCK_BYTES);
      expect(block.every((value) => value === index + 1)).toBe(true);
    }
  });

  test('that were given back come again', () => {
    const pool = new BlockPool(MB);
    const block = pool.take();
    pool.giveBack([block]);
    expect(pool.take() === block).toBe(true);
    expect(pool.take() === block).toBe(false);
  });

  test('that nobody needed since the last sweep are freed', () => {
    const pool = new BlockPool(64 * MB);
    const take = (length: number) => Array.from({ length }, () => pool.take());
    const blocks = take(300);
    pool.giveBack(blocks);
    pool.sweep();
    const again = take(300);
    const kept = again.filter((block) => blocks.includes(block));
    // A few stay for a server with little to do.
    expect(kept).toHaveLength(16);
    // There were never more: slabs do not become larger.
    expect(Math.max(...again.map(({ buffer }) => buffer.byteLength))).toBeLessThan(13 * MB);
  });

  test('are cut from little where little may be used', () => {
    const bytesOf = (maxBytes: number) => new BlockPool(maxBytes).take().buffer.byteLength;
    expect(bytesOf(1)).toBe(BLOCK_BYTES);
    expect(bytesOf(MB)).toBe(MB);
    expect(bytesOf(1024 * MB)).toBeLessThan(10 * MB);
  });

  test('come from new memory when the pool was cleared', () => {
    const pool = new BlockPool(MB);
    const block = pool.take();
    pool.giveBack([block]);
    pool.clear();
    const next = pool.take();
    expect(next === block).toBe(false);
    expect(next.buffer === block.buffer).toBe(false);
  });
});

describe('a page', () => {
  function partsOf({ keptAt, owners, durations, checksums, fingerprints }: Page) {
    return [keptAt, owners, durations, checksums, fingerprints];
  }

  /** Adds a text, in another block if need be. */
  function add(page: Page, at: number, text: string): void {
    if (page.used + Buffer.byteLength(text) > BLOCK_BYTES) page.grow();
    page.starts[at] = page.blockStart + page.used;
    page.lengths[at] = page.block.write(text, page.used);
    page.used += page.lengths[at] as number;
  }

  test('has all texts that were added, over any number of blocks, beside full arrays', () => {
    const pool = new BlockPool(MB);
    const pages = [new Page(pool), new Page(pool)];
    const textOf = (page: number, at: number) => `${page} ${at} ${'é'.repeat(at % 700)}`;
    for (let at = PAGE_CALLS - 1; at >= 0; at -= 1)
      for (const [index, page] of pages.entries()) {
        for (const part of partsOf(page)) part[at] = index + 1;
        add(page, at, textOf(index, at));
      }
    for (const [index, page] of pages.entries()) {
      expect(page.bytes).toBeGreaterThan(8 * BLOCK_BYTES);
      for (let at = 0; at < PAGE_CALLS; at += 1) expect(page.at(at)?.toString()).toBe(textOf(index, at));
      for (const part of partsOf(page)) {
        expect(part).toHaveLength(PAGE_CALLS);
        expect(part.every((value) => value === index + 1)).toBe(true);
      }
    }
  });

  test('is empty at first, also in memory that others have used', () => {
    const pool = new BlockPool(1);
    const used = new Page(pool);
    for (let at = 0; at < PAGE_CALLS; at += 1) add(used, at, 'a text');
    used.free();
    const page = new Page(pool);
    for (let at = 0; at < PAGE_CALLS; at += 1) expect(page.at(at)).toBeUndefined();
    expect(page).toMatchObject({ bytes: BLOCK_BYTES, newestAt: 0 });
  });

  test('gives back all its blocks', () => {
    const pool = new BlockPool(MB);
    const page = new Page(pool);
    page.grow();
    page.grow();
    page.free();
    const { buffer } = pool.take();
    expect([pool.take(), pool.take()].every((block) => block.buffer === buffer)).toBe(true);
    // A fourth one is the first that was not in use before: slabs are cut from their end.
    expect(pool.take().byteOffset).toBe(MB - 4 * BLOCK_BYTES);
  });
});
