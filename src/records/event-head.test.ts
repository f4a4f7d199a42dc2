import { expect, test } from 'vitest';
import { type EventHead, MOST_HEAD_BYTES, writeHead } from './event-head.ts';

function written({ n, ...head }: EventHead & { readonly n: number }): unknown {
  const bytes = Buffer.alloc(MOST_HEAD_BYTES);
  const end = writeHead(bytes, 3, n, head);
  return JSON.parse(`${bytes.toString('utf8', 3, end)}"more":1}`);
}

test('any number is written as JSON has it', () => {
  const numbers = [0, 9, 10, 999_999, 1e6, 1_000_001, 20_000_000, 1_763_352_000_007, 1e15 + 1, Number.MAX_SAFE_INTEGER];
  for (const n of [...numbers, 0.5, 1_763_352_000_000.25, -3, 1e21])
    expect(written({ n, at: n, type: 'result', call: n })).toEqual({ n, at: n, type: 'result', call: n, more: 1 });
});

test('only a result names a call', () => {
  const head = { n: 2, at: 1_763_352_001_000, type: 'call' } as const;
  expect(written(head)).toEqual({ ...head, more: 1 });
});
