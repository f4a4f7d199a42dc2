import { expect, test } from 'vitest';
import { toPieces } from './pieces.ts';

const paragraph = `${'word '.repeat(20)}\n\n`;

test('a short text is one piece', () => {
  expect(toPieces('', 100)).toEqual(['']);
  expect(toPieces(paragraph, 1000)).toEqual([paragraph]);
});

test('a long text is cut between paragraphs, and nothing of it is lost', () => {
  const text = paragraph.repeat(50);
  const pieces = toPieces(text, 500);
  expect(pieces.join('')).toBe(text);
  expect(pieces.length).toBeGreaterThan(5);
  for (const piece of pieces) expect(piece.trim()).toMatch(/^word.*word$/s);
});

test('a block of code stays whole, unless it never ends', () => {
  const code = `\`\`\`\n${'line\n\n'.repeat(100)}\`\`\`\n\n`;
  const pieces = toPieces(paragraph + code + paragraph, 200);
  expect(pieces.some((piece) => piece.includes(code.trim()))).toBe(true);
  const endless = toPieces(`\`\`\`\n${'line\n'.repeat(1000)}`, 200);
  expect(Math.max(...endless.map(({ length }) => length))).toBeLessThan(1700);
});

test('a text without lines is cut somewhere', () => {
  const pieces = toPieces('a'.repeat(5000), 100);
  expect(pieces.join('')).toHaveLength(5000);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(800);
});
