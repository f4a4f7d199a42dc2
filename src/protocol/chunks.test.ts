import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readEvents,
  readEventsLikeHttpx,
  readEventsLikePython,
  readEventsStripped,
  STRIPPED,
  toPayloads,
} from '../../test/support/sse.ts';
import { CHUNK_BYTES, writeChunk } from './chunks.ts';
import { encodeResult, encodeSmallResult, withoutLineBreaks } from './sse.ts';

const LINE_BREAKS = ['\u0085', '\u2028', '\u2029'];
const SURROGATES = ['\ud800', '\udbff', '\udc00', '\udfff'];
// Characters of every length in UTF-8, and all that JSON, SSE or a client treats in a special way.
const STRESS = [...STRIPPED, ...SURROGATES, ...'\\"\n\r\t\0\x7fé漢😀\ufeff\u200b', '\u{10ffff}', '\\u0020', '\r\n'];

const READERS = {
  'the SSE standard': readEvents,
  'the official client, which strips all leading white space': readEventsLikePython,
  "the official SDK's tests, which strip both ends": readEventsStripped,
  'a client over httpx, which sees more line ends': readEventsLikeHttpx,
};

/** The payloads of JSON text. */
function toChunks(json: string): string[] {
  const text = withoutLineBreaks(json);
  const into = new Uint8Array(CHUNK_BYTES);
  const payloads: string[] = [];
  let start = 0;
  do {
    const { end, bytes } = writeChunk(text, start, into);
    payloads.push(decoder.decode(into.subarray(0, bytes)));
    start = end;
  } while (start < text.length);
  return payloads;
}

/** The events of a result. */
function toEvents(json: string): string[] {
  const bytes = Buffer.concat([...encodeResult(json)]);
  return decoder.decode(bytes).split(/(?<=\n\n)/);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A readable name, since many of these characters have no picture. */
function codePoints(characters: string): string {
  return [...characters].map((each) => `U+${each.codePointAt(0)?.toString(16).padStart(4, '0')}`).join(' ');
}

/** What the payloads of a text do that no payload may do. */
function faultsOf(payloads: readonly string[]): string[] {
  const faults: string[] = [];
  for (const [index, payload] of payloads.entries()) {
    const blame = (fault: string) => faults.push(`payload ${index} of ${payloads.length} ${fault}`);
    const bytes = Buffer.byteLength(payload);
    if (bytes > CHUNK_BYTES) blame(`has ${bytes} bytes`);
    if (bytes === 0) blame('is empty');
    if (!payload.isWellFormed()) blame('splits a surrogate pair');
    if (STRIPPED.includes(payload.charAt(0))) blame('begins with white space');
    if (STRIPPED.includes(payload.charAt(payload.length - 1))) blame('ends with white space');
    if (/[\u0085\u2028\u2029]/.test(payload)) blame('has a raw line break of Unicode');
    if (/[\n\r]/.test(payload)) blame('has a raw line break');
  }
  return faults;
}

/** What a client with a streaming decoder makes of bytes that come in packets of these sizes, over and over. */
function receive(bytes: Uint8Array, sizes: readonly number[]): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    text += decoder.decode(bytes.subarray(at, at + size), { stream: true });
    at += size;
  }
  return text + decoder.decode();
}

/** Runs of one character that are as long as chunks, or longer: nowhere to cut but inside them. */
const longRun = fc
  .tuple(fc.constantFrom(...STRESS, 'a'), fc.integer({ min: 1, max: 9_000 }))
  .map(([character, length]) => character.repeat(length));
const shortRun = fc.array(fc.constantFrom(...STRESS, 'a'), { maxLength: 40 }).map((characters) => characters.join(''));
const anything = fc.string({ unit: 'binary', maxLength: 200 });
/** Text that ends right around a place where a chunk may end. */
const padding = fc
  .tuple(fc.constantFrom(1, 2, 3), fc.integer({ min: -80, max: 8 }))
  .map(([chunks, offset]) => 'x'.repeat(chunks * CHUNK_BYTES + offset));
const text = fc
  .array(fc.oneof(longRun, shortRun, anything, padding), { maxLength: 12 })
  .map((pieces) => pieces.join('').slice(0, 100_000));
const value = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 1, arbitrary: fc.array(fc.dictionary(text, text, { maxKeys: 3 }), { maxLength: 2 }) },
  // Through JSON once: it has no negative zero.
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }).map((each) => JSON.parse(JSON.stringify(each)) as unknown) },
);
const packetSizes = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 8 });

describe('any value', () => {
  test('E5, E6, E7, E8: has no payload that is too long, splits a character, or has an edge or a break that a client eats', () => {
    fc.assert(
      fc.property(value, (sent) => {
        expect(faultsOf(toChunks(JSON.stringify({ sent })))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test.each(Object.entries(READERS))('E6: arrives whole at %s', (_reader, read) => {
    fc.assert(
      fc.property(value, packetSizes, (sent, sizes) => {
        const bytes = Buffer.concat([...encodeResult(JSON.stringify({ sent }))]);
        const events = read(receive(bytes, sizes));
        expect(JSON.parse(toPayloads(events).join(''))).toEqual({ sent });
      }),
      { numRuns: 150 },
    );
  });

  test('E2, E10: is sent as `chunk` events and one last `end`, each of two lines and a blank one', () => {
    fc.assert(
      fc.property(value, (sent) => {
        const events = toEvents(JSON.stringify({ sent }));
        for (const [index, event] of events.entries()) {
          const name = index === events.length - 1 ? 'end' : 'chunk';
          expect(event.split('\n')).toEqual([`event: ${name}`, expect.stringMatching(/^data: /), '', '']);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('E4: if it is small, is written the short way just as the long way would write it', () => {
    fc.assert(
      fc.property(value, (sent) => {
        const json = JSON.stringify({ sent });
        const events = toEvents(json);
        expect(encodeSmallResult(json)).toBe(events.length === 1 ? events[0] : undefined);
      }),
      { numRuns: 150 },
    );
  });
});

// Each character crosses each place where a chunk could end, byte by byte; alone, and in a run that leaves no way out.
test.each(STRESS.map((character) => [codePoints(character), character]))(
  'E5, E6: %s is safe at every offset around a multiple of 4096',
  (_name, character) => {
    for (const multiple of [1, 2, 3]) {
      for (let offset = -12; offset <= 12; offset += 1) {
        for (const times of [1, 3, 200]) {
          const sent = `${'x'.repeat(multiple * CHUNK_BYTES + offset)}${character.repeat(times)}y`;
          const payloads = toChunks(JSON.stringify(sent));
          expect(faultsOf(payloads)).toEqual([]);
          expect(JSON.parse(payloads.join('')) === sent).toBe(true);
        }
      }
    }
  },
);

describe('the number of payloads', () => {
  test.each([
    [2, 1],
    [4095, 1],
    [4096, 1],
    [4097, 2],
    [8192, 2],
    [8193, 3],
    [102_400, 25],
    [102_401, 26],
  ])('E4: %i bytes of ASCII take %i', (bytes, payloads) => {
    expect(toChunks(JSON.stringify('x'.repeat(bytes - 2)))).toHaveLength(payloads);
  });

  test.each(['é', '漢', '😀'])('E5: %s counts by its bytes', (character) => {
    const bytes = Buffer.byteLength(character);
    const most = Math.floor((CHUNK_BYTES - 2) / bytes);
    expect(toChunks(JSON.stringify(character.repeat(most)))).toHaveLength(1);
    expect(toChunks(JSON.stringify(character.repeat(most + 1)))).toHaveLength(2);
  });

  test.each(LINE_BREAKS.map((character) => [codePoints(character), character]))(
    'E7: %s counts as it is written, escaped',
    (_name, character) => {
      const most = Math.floor((CHUNK_BYTES - 2) / '\\u2028'.length);
      expect(toChunks(JSON.stringify(character.repeat(most)))).toHaveLength(1);
      expect(toChunks(JSON.stringify(character.repeat(most + 1)))).toHaveLength(2);
    },
  );

  test('E6: white space costs little: indented code takes hardly more payloads than its size asks for', () => {
    const code = JSON.stringify('        if (x) {\n            return y;\n'.repeat(20_000));
    expect(toChunks(code).length).toBeLessThan((code.length / CHUNK_BYTES) * 1.02 + 1);
  });
});
