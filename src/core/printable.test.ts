import { expect, test } from 'vitest';
import { printable, UNPRINTABLE } from './index.ts';

const clean = (text: string) => text.replace(UNPRINTABLE, '�');

const UNSEEN: [what: string, character: string][] = [
  ['a zero-width space', '\u200b'],
  ['a zero-width non-joiner', '\u200c'],
  ['a zero-width joiner', '\u200d'],
  ['a word joiner', '\u2060'],
  ['a byte order mark', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['an invisible plus', '\u2064'],
  ['an override of the direction', '\u202e'],
  ['an isolate of the direction', '\u2067'],
  ['an Arabic letter mark', '\u061c'],
  ['a Hangul filler', '\u3164'],
  ['a variation selector', '\ufe0f'],
  ['a variation selector of the supplement', '\u{e0101}'],
  ['a tag', '\u{e0041}'],
  ['an annotation', '\ufff9'],
  ['a line separator', '\u2028'],
  ['an 8-bit escape', '\x9b'],
  ['delete', '\x7f'],
];

test.each(UNSEEN)('%s reaches neither a terminal nor the log', (_what, character) => {
  expect(clean(`a${character}b`)).toBe('a�b');
  expect(printable(`a${character}b`)).toBe(`a${encodeURIComponent(character)}b`);
});

test.each(['\x1b', '\x00', '\r', '\x07'])('the control character %j does not reach a terminal', (character) =>
  expect(clean(character)).toBe('�'),
);

test.each([
  'plain',
  'zwei\n\tZeilen',
  'Ünïcödé',
  'עברית',
  '日本語',
  'नमस्ते',
  '❤️',
  '👩‍🚀',
  '👨‍👩‍👧',
  '🏳️‍🌈',
  '🧑🏽‍💻',
  '🎲',
])('%s is left as it is', (text) => {
  expect(clean(text)).toBe(text);
  expect(printable(text)).toBe(text);
});

test('what joins emoji hides nothing elsewhere', () => {
  expect(clean('a\u200d🎲')).toBe('a�🎲');
  expect(clean('🎲\u200db')).toBe('🎲�b');
  expect(clean('🎲\ufe0f\ufe0f')).toBe('🎲\ufe0f�');
});
