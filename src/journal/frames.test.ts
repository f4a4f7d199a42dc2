import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Change } from './change.ts';
import { changeIn, framesIn, hashedIn, mostBytesOfFrame, writeFrame } from './frames.ts';

const hashed = randomBytes(32);
const CHANGES: readonly Change<Buffer>[] = [
  { hashed, lastSeq: undefined, name: Buffer.from('a'), record: Buffer.from('one'), saved: undefined },
  { hashed, lastSeq: 1, name: undefined, record: Buffer.from('two'), saved: Buffer.alloc(0) },
  { hashed, lastSeq: 2 ** 40, name: undefined, record: Buffer.alloc(0), saved: Buffer.from('{}') },
  { hashed, lastSeq: undefined, name: undefined, record: undefined, saved: undefined },
];

function toFrames(changes: readonly Change[]): Buffer {
  const bytes = Buffer.alloc(changes.reduce((sum, change) => sum + mostBytesOfFrame(change), 0));
  return bytes.subarray(
    0,
    changes.reduce((at, change) => writeFrame(bytes, at, change), 0),
  );
}

function fromFrames(bytes: Buffer) {
  const { frames, isWhole } = framesIn(bytes);
  return { changes: frames.map((frame) => ({ ...changeIn(frame), hashed: hashedIn(frame) })), isWhole };
}

test('J5: changes come back from their bytes as they were', () => {
  expect(fromFrames(toFrames(CHANGES))).toEqual({ changes: CHANGES, isWhole: true });
  expect(fromFrames(Buffer.alloc(0))).toEqual({ changes: [], isWhole: true });
});

test.each(['', '{"note":"plain"}', 'é'.repeat(1_000), '漢😀'.repeat(2_000)])(
  'J5: texts become the bytes of texts: %.20s',
  (text) => {
    const plain = Buffer.concat([Buffer.of(0), Buffer.from(text)]);
    const [asTexts, asBytes] = [text, plain].map((part) =>
      toFrames([{ hashed, lastSeq: 3, name: undefined, record: part, saved: part }]),
    );
    expect(asTexts).toEqual(asBytes);
  },
);

test('J5: of a file that was cut at any byte, all changes before that are read, and nothing else', () => {
  const bytes = toFrames(CHANGES);
  const ends = CHANGES.map((_, index) => toFrames(CHANGES.slice(0, index + 1)).length);
  for (let cut = 0; cut < bytes.length; cut++) {
    const { changes, isWhole } = fromFrames(bytes.subarray(0, cut));
    const count = ends.filter((end) => end <= cut).length;
    expect(changes).toEqual(CHANGES.slice(0, count));
    expect(isWhole).toBe(cut === 0 || ends.includes(cut));
  }
});

test('J5: of a file in which any byte is another, nothing is read from there on', () => {
  const bytes = toFrames(CHANGES);
  const ends = CHANGES.map((_, index) => toFrames(CHANGES.slice(0, index + 1)).length);
  for (let at = 0; at < bytes.length; at++) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] as number) ^ 0x55;
    const { changes, isWhole } = fromFrames(damaged);
    expect(changes).toEqual(CHANGES.slice(0, ends.filter((end) => end <= at).length));
    expect(isWhole).toBe(false);
  }
});

test('J5: a file that the machine left full of zeros has nothing in it', () => {
  expect(fromFrames(Buffer.alloc(4096))).toEqual({ changes: [], isWhole: false });
});
