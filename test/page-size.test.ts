import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ROOT } from './support/command.ts';

// `npm test` has built it.
const page = join(ROOT, 'dist/studio/page');
const names = readdirSync(page, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name));

test('the first load of the studio is at most 250 KB gzipped', () => {
  const bytes = names
    .filter((name) => name !== 'static.html')
    .reduce((sum, name) => sum + gzipSync(readFileSync(join(page, name))).length, 0);
  expect(names).toContain('index.html');
  expect(bytes).toBeLessThan(250 * 1024);
});

test('the page of the studio names no other host, and has no script or style in it', () => {
  for (const name of ['index.html', 'static.html']) {
    const html = readFileSync(join(page, name), 'utf8');
    expect(html).not.toMatch(/\bhttps?:|\bstyle=|<style|\bon\w+=/);
    expect(html.match(/<script[^>]*>([^<]*)<\/script>/g)?.every((tag) => tag.endsWith('></script>'))).toBe(true);
  }
});
