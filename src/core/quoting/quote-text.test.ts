import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteText } from './quote-text.ts';

/** Long enough to be done in several pieces, by vectors. */
function long(text: string): string {
  return text.repeat(Math.ceil(150_000 / text.length));
}

test.each([
  ['plain text', 'The quick brown fox. '],
  ['quotes, backslashes and lines', '"a\\b"\n\t'],
  ['accents', 'héllo "wörld"\r\n'],
  ['other scripts', '漢字, "かな"\n'],
  ['emoji', '😀'],
  ['emoji after one character', 'x😀'],
  ['surrogates without their other half', 'a\ud800b\udc00\udc00\ud800'],
  ['characters that have only a number', '\u0000\u0001\u001f\u007f\u0080\u0085\u2028'],
  ['all characters of one byte', String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code))],
  ['what JSON has for images', 'iVBORw0KGgo='],
])('a long text of %s is written as JSON.stringify writes it', (_what, text) => {
  // Not with `toBe`, which would print both.
  for (const whole of [long(text), `x${long(text)}`, `${long(text)}\ud83d`])
    expect(quoteText(whole) === JSON.stringify(whole)).toBe(true);
});

test('a text of any length, at any place of a block, is written as JSON.stringify writes it', () => {
  const unit = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom('a', 'b', ' ', 'é') },
    { weight: 4, arbitrary: fc.constantFrom('"', '\\', '\n', '\t', '\b', '\f', '\r') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('\u0000', '\u000b', '\u001f', '\u00ff', '\u2028', '漢', '😀', '\ud800', '\udfff'),
    },
  );
  const text = fc.string({ unit, minLength: 1_900, maxLength: 2_300 });
  fc.assert(
    fc.property(text, (each) => {
      expect(quoteText(each)).toBe(JSON.stringify(each));
    }),
  );
});

test('every character of two bytes is written as JSON.stringify writes it', () => {
  for (let first = 0; first < 2 ** 16; first += 2_048) {
    const some = Array.from({ length: 2_048 }, (_, at) => String.fromCharCode(first + at)).join('.');
    expect(quoteText(some)).toBe(JSON.stringify(some));
  }
});
