import { expect, test } from 'vitest';
import { toTable } from './table.ts';

test('columns are as wide as their widest cell, colours do not count, and no line ends in spaces', () => {
  const rows = [
    ['a', '\x1b[1mbold\x1b[22m', 'last'],
    ['wider', 'x', ''],
  ];
  expect(toTable(rows)).toEqual(['a      \x1b[1mbold\x1b[22m  last', 'wider  x']);
});

test('the last cell is broken between words where there are fewer columns, under itself', () => {
  const rows = [['name', 'one two three four five six seven eight']];
  expect(toTable(rows, 30)).toEqual(['name  one two three four five', '      six seven eight']);
  expect(toTable(rows, 45)).toEqual(['name  one two three four five six seven eight']);
});

test('a word that is too long stays whole, and without room nothing is broken', () => {
  const long = 'x'.repeat(40);
  expect(toTable([['a', `b ${long} c`]], 30)).toEqual(['a  b', `   ${long}`, '   c']);
  expect(toTable([['name', 'one two three four five six']], 20)).toEqual(['name  one two three four five six']);
});
