import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Utf8Pieces } from './utf8.ts';

test('a text is the same wherever its bytes were cut', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (sent, cuts) => {
      const bytes = new TextEncoder().encode(sent);
      const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
      const pieces = new Utf8Pieces();
      let [read, start] = ['', 0];
      for (const end of [...places, bytes.length]) {
        read += pieces.decode(bytes.subarray(start, end));
        start = end;
      }
      expect(read).toBe(new TextDecoder().decode(bytes));
    }),
  );
});

test.each([
  ['a byte that begins nothing', [0x61, 0xff, 0x62]],
  ['a character without its end', [0xe6, 0xbc, 0x61]],
  ['an end without its beginning', [0xa2, 0x61]],
])('%s becomes what stands for it, and the rest is read', (_, bytes) => {
  const pieces = new Utf8Pieces();
  const read = bytes.map((byte) => pieces.decode(Uint8Array.of(byte))).join('');
  expect(read).toBe(new TextDecoder().decode(Uint8Array.from(bytes)));
});
