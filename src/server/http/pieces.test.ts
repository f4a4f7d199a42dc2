import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toPieces } from './pieces.ts';

test('the pieces of texts are their bytes, whatever stands where a piece ends', () => {
  const filler = fc.integer({ min: 65_500, max: 65_600 }).map((length) => 'x'.repeat(length));
  const text = fc.tuple(filler, fc.string({ unit: 'grapheme', maxLength: 50 }), filler).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(fc.oneof(text, fc.string({ unit: 'grapheme' })), { maxLength: 4 }), (texts) => {
      expect(Buffer.concat([...toPieces(texts)]).equals(Buffer.from(texts.join('')))).toBe(true);
    }),
    { numRuns: 50 },
  );
});
