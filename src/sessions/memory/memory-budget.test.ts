import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../core/index.ts';
import { MemoryBudget } from './memory-budget.ts';
import { toMemoryLimits } from './memory-limits.ts';

const MB = 2 ** 20;

function budget(limit: number, share = 0) {
  return new MemoryBudget({
    lingerMs: 1_000,
    maxKeptBytes: 0,
    maxMemoryBytes: limit,
    maxMemoryBytesPerIdentity: share,
  });
}

describe('a budget of memory', () => {
  test('gives what there is, and again what was given back', () => {
    const memory = budget(100);
    expect(memory.take('', 100)).toBeUndefined();
    expect(memory.take('', 1)).toMatchObject({ code: 'memory_used' });
    memory.giveBack('', 1);
    expect(memory.take('', 1)).toBeUndefined();
    expect(memory.bytes).toBe(100);
  });

  test('gives one identity its share, and leaves the rest to others', () => {
    const memory = budget(100);
    expect(memory.take('anna', 50)).toBeUndefined();
    expect(memory.take('anna', 1)).toMatchObject({ code: 'memory_share_used' });
    expect(memory.take('bert', 50)).toBeUndefined();
    expect(memory.take('carl', 1)).toMatchObject({ code: 'memory_used' });
    memory.giveBack('anna', 50);
    expect(memory.take('anna', 50)).toBeUndefined();
  });

  test('keeps a quarter for calls: what stays cannot have all', () => {
    const memory = budget(100, 80);
    expect(memory.take('anna', 60, 'long')).toBeUndefined();
    expect(memory.take('anna', 1, 'long')).toMatchObject({ code: 'memory_share_used' });
    expect(memory.take('bert', 16, 'long')).toMatchObject({ code: 'memory_used' });
    expect(memory.take('anna', 20)).toBeUndefined();
  });

  test('counts what is there already, even beyond the limit', () => {
    const memory = budget(100, 50);
    memory.add('anna', 120);
    expect(memory.excess('anna')).toBe(70);
    expect(memory.excess('bert')).toBe(20);
    memory.giveBack('anna', 120);
    expect(memory.excess('anna')).toBe(0);
  });

  test('asks stalled clients to give theirs back before it refuses: those of the identity that asks, if that is full', () => {
    const memory = budget(100, 60);
    const asked: (string | undefined)[] = [];
    memory.reclaimBy((identity) => {
      asked.push(identity);
      if (asked.length > 2) return false;
      memory.giveBack('anna', 10);
      return true;
    });
    memory.add('anna', 60);
    expect(memory.take('anna', 15)).toBeUndefined();
    expect(asked).toEqual(['anna', 'anna']);
    memory.add('bert', 40);
    expect(memory.take('carl', 10)).toMatchObject({ code: 'memory_used' });
    expect(asked.at(-1)).toBeUndefined();
  });

  test('counts kept results', () => {
    const memory = new MemoryBudget({ ...DEFAULT_LIMITS, maxMemoryBytes: MB, maxKeptBytes: MB });
    const json = JSON.stringify('x'.repeat(MB / 4));
    const kept = { owner: 1, ending: { kind: 'returned', json }, durationMs: 0, fingerprint: '' } as const;
    memory.kept.keep(1, kept, 0);
    expect(memory.bytes).toBeGreaterThan(MB / 4);
    expect(memory.take('', 0.8 * MB)).toMatchObject({ code: 'memory_used' });
  });
});

describe('limits of memory', () => {
  test('fit the process unless they are set', () => {
    const limits = toMemoryLimits(DEFAULT_LIMITS, 512 * MB);
    expect(limits).toMatchObject({
      maxMemoryBytes: 256 * MB,
      maxMemoryBytesPerIdentity: 128 * MB,
      maxKeptBytes: 128 * MB,
    });
    const chosen = toMemoryLimits(
      { ...DEFAULT_LIMITS, maxMemoryBytes: MB, maxMemoryBytesPerIdentity: 5 * MB },
      512 * MB,
    );
    expect(chosen).toMatchObject({ maxMemoryBytes: MB, maxMemoryBytesPerIdentity: MB, maxKeptBytes: MB / 2 });
    expect(toMemoryLimits(DEFAULT_LIMITS).maxMemoryBytes).toBeGreaterThan(16 * MB);
  });
});
