import { expect, test } from 'vitest';
import { TailMemory } from './tail-memory.ts';

const CHUNK = 256 * 1024;

test('room that was not used is given again; what was used is not', () => {
  const memory = new TailMemory();
  const first = memory.roomFor(100);
  expect(memory.roomFor(50)).toEqual(first);
  memory.useUpTo(60);
  const second = memory.roomFor(100);
  expect(second.bytes).toBe(first.bytes);
  expect(second.at).toBe(60);
});

test('what does not fit into a chunk gets another one, or one of its own', () => {
  const memory = new TailMemory();
  const first = memory.roomFor(CHUNK - 10);
  memory.useUpTo(CHUNK - 10);
  const second = memory.roomFor(11);
  expect([second.bytes === first.bytes, second.at]).toEqual([false, 0]);
  expect(memory.roomFor(3 * CHUNK).bytes.length).toBe(3 * CHUNK);
});

test('the memory of a tail is used again when it is freed, and not while it is needed', () => {
  const memory = new TailMemory();
  const first = memory.roomFor(10).bytes;
  memory.useUpTo(10);
  memory.endTail();
  const second = memory.roomFor(10).bytes;
  memory.useUpTo(10);
  expect(second).not.toBe(first);
  memory.freeEnded();
  // The tail that is written to keeps its own.
  expect(memory.roomFor(10)).toMatchObject({ at: 10 });
  memory.endTail();
  expect(memory.roomFor(10).bytes).toBe(first);
});

test('memory for what is unusually large is not kept', () => {
  const memory = new TailMemory();
  const large = memory.roomFor(2 * CHUNK).bytes;
  memory.useUpTo(2 * CHUNK);
  memory.endTail();
  memory.freeEnded();
  expect(memory.roomFor(2 * CHUNK).bytes).not.toBe(large);
});
