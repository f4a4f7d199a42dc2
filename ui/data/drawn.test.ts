import { expect, test } from 'vitest';
import { isDrawn } from './drawn.ts';

test('boards and tables are drawn', () => {
  expect(isDrawn('Step 0:\n###Go...\n.##.....\n.@##..#.')).toBe(true);
  expect(isDrawn('+----+\n| a  |\n+----+')).toBe(true);
});

test('prose is not', () => {
  expect(isDrawn('Walk to the goal.\nA step costs 0.01,\nand the goal is worth 1.')).toBe(false);
  expect(isDrawn('')).toBe(false);
  expect(isDrawn('one\n\n\n\ntwo')).toBe(false);
});
