import { expect, test } from 'vitest';
import { toSafeText } from './safe-text.ts';

test('colours of terminals are left out, and their text stays', () => {
  expect(toSafeText('\u001b[1;31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007')).toBe('red link');
});

test('what would turn text around is shown by its name', () => {
  expect(toSafeText('user\u202etxt.exe')).toBe('user\u2039U+202E\u203atxt.exe');
  expect(toSafeText('a\u2066b\u2069')).toBe('a\u2039U+2066\u203ab\u2039U+2069\u203a');
});

test('control characters are visible, and lines stay lines', () => {
  expect(toSafeText('a\u0000b\u0008\tc\r\nd')).toBe('a\u2400b\u2408\tc\nd');
});

test('text of any language stays as it is', () => {
  const text = 'Grüße, 你好, שלום, 👩‍🚀, e\u0301';
  expect(toSafeText(text)).toBe(text);
});
