import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CallEnding } from '../call-ending.ts';
import { KeptResults } from './kept-results.ts';
import { PAGE_CALLS } from './pages.ts';

const KB = 1024;
const MB = 1024 * KB;
const LINGER = 60_000;
const PAGE = 64 * KB;

const SMALL = '{"text":"small"}';
const LARGE = JSON.stringify('x'.repeat(10_000));

/** A store, and short ways to keep results in it and to ask for them. */
function made({ lingerMs = LINGER, maxKeptBytes = 16 * MB } = {}) {
  const kept = new KeptResults({ lingerMs, maxKeptBytes });
  /** Keeps the result of a new call, and gives its number. */
  const keep = (json: string, now = 0, { owner = 1, fingerprint = '', durationMs = 0 } = {}) => {
    const number = kept.ids.next();
    kept.keep(number, { owner, ending: { kind: 'returned', json }, durationMs, fingerprint }, now);
    return number;
  };
  const find = (number: number, now = 0, owner = 1) => jsonOf(kept.find(number, owner, now)?.ending);
  return { kept, keep, find };
}

function jsonOf(ending: CallEnding | undefined): string | undefined {
  return ending?.kind === 'returned' ? ending.json : undefined;
}

describe.each([
  ['small', (text: string) => JSON.stringify({ text })],
  ['large', (text: string) => JSON.stringify({ text, more: 'x'.repeat(10_000) })],
])('a %s result', (_kind, toJson) => {
  test('comes back as it was, for its own session', () => {
    const { keep, find } = made();
    const json = toJson('héllo 🎲');
    const number = keep(json, 0, { owner: 7 });
    expect(find(number, 1, 7)).toBe(json);
    expect(find(number, 1, 8)).toBeUndefined();
    expect(find(number + 1, 1, 7)).toBeUndefined();
  });

  test('R3, R4: is there for the time it lingers, and not longer, also before the sweep', () => {
    const { kept, keep, find } = made();
    const [early, late] = [keep(toJson('1')), keep(toJson('2'), 40_000)];
    expect(find(early, LINGER)).toBe(toJson('1'));
    expect(find(early, LINGER + 1)).toBeUndefined();
    kept.sweep(LINGER + 1);
    expect(find(late, LINGER + 1)).toBe(toJson('2'));
    kept.sweep(100_001);
    // Asked about a time when it was there: it is really gone.
    expect(find(late, 40_000)).toBeUndefined();
  });

  test('has its fingerprint and its duration with it', () => {
    const { kept, keep } = made();
    const fingerprint = '["Mail.Send@1.0.0","zoë",{"to":"🎲"}]';
    const number = keep(toJson('sent'), 0, { owner: 0, fingerprint, durationMs: 1_234 });
    const plain = keep(toJson('sent'), 0, { owner: 0 });
    const ending = { kind: 'returned', json: toJson('sent') };
    expect(kept.find(number, 0, 0)).toMatchObject({ owner: 0, ending, fingerprint, durationMs: 1_234 });
    expect(kept.find(plain, 0, 0)).toMatchObject({ owner: 0, ending, fingerprint: '', durationMs: 0 });
  });

  test('that took a part of a millisecond says the same, rounded, as it did the first time', () => {
    const { kept, keep } = made();
    for (const durationMs of [0.4, 0.5, 1.7, 2_000.49]) {
      const { durationMs: again = Number.NaN } = kept.find(keep(toJson(''), 0, { durationMs }), 1, 0) ?? {};
      expect(Math.round(again)).toBe(Math.round(durationMs));
    }
  });
});

test('a failure comes back as it was, whatever its size', () => {
  const { kept } = made();
  const failure = { code: 'tool_failed', tool: 'act', message: 'no', canRetry: true } as const;
  const ending: CallEnding = { kind: 'failed', outcome: 'tool_error', failure };
  const number = kept.ids.next();
  kept.keep(number, { owner: 3, ending, durationMs: 5, fingerprint: '[]' }, 0);
  expect(kept.find(number, 3, 0)).toMatchObject({ owner: 3, ending, durationMs: 5, fingerprint: '[]' });
  expect(kept.find(number, 4, 0)).toBeUndefined();
});

test('of more than there is room for, the newest stay', () => {
  const { keep, find } = made({ maxKeptBytes: 256 * KB });
  const numbers = Array.from({ length: 20_000 }, (_, index) => keep(`{"index":${index}}`, index));
  expect(find(numbers[0] ?? 0, 20_000)).toBeUndefined();
  expect(find(numbers.at(-1) ?? 0, 20_000)).toBe('{"index":19999}');
});

test('small results that are larger than usual count for what they take', () => {
  const maxKeptBytes = 4 * MB;
  const { keep, find } = made({ maxKeptBytes });
  const json = JSON.stringify('x'.repeat(4_000));
  const numbers = Array.from({ length: 20_000 }, () => keep(json));
  const found = numbers.filter((number) => find(number) !== undefined);
  expect(found.at(-1)).toBe(numbers.at(-1));
  // About: a page is as large as its results may become, and the newest stays whatever its size.
  expect(found.length * json.length).toBeLessThan(3 * maxKeptBytes);
});

describe('small and large results have one limit together', () => {
  test('large ones make room by the oldest pages of small ones', () => {
    const { keep, find } = made({ maxKeptBytes: 4 * PAGE });
    // Four pages are full of them.
    const small = Array.from({ length: 4 * PAGE_CALLS }, (_, index) => keep(SMALL, index));
    const isKept = () => [0, 1, 2, 3].map((page) => find(small[page * PAGE_CALLS] ?? 0) === SMALL);
    expect(isKept()).toEqual([true, true, true, true]);
    const large = keep(LARGE, 10_000);
    expect(isKept()).toEqual([false, true, true, true]);
    for (let count = 0; count < 6; count += 1) keep(LARGE, 10_000);
    expect(isKept()).toEqual([false, false, true, true]);
    expect(find(large, 10_000)).toBe(LARGE);
  });

  test('small ones make room by the oldest large ones', () => {
    const { keep, find } = made({ maxKeptBytes: 3 * PAGE });
    const large = Array.from({ length: 18 }, (_, index) => keep(LARGE, index));
    expect(large.filter((number) => find(number) === LARGE)).toHaveLength(18);
    const small = keep(SMALL, 100);
    const left = large.filter((number) => find(number) === LARGE);
    expect(left).toEqual(large.slice(-left.length));
    expect(left.length).toBeGreaterThan(8);
    expect(left.length).toBeLessThan(14);
    expect(find(small, 100)).toBe(SMALL);
  });

  test('whichever is oldest goes first, of either kind', () => {
    const { keep, find } = made({ maxKeptBytes: 3 * PAGE });
    const fillPage = (now: number, length = PAGE_CALLS) => Array.from({ length }, () => keep(SMALL, now));
    // Of the size of a page, so that each makes room for one other.
    const pageful = JSON.stringify('x'.repeat(PAGE - 1_000));
    const [one = 0] = fillPage(0);
    const two = keep(pageful, 1);
    const [three = 0] = fillPage(2, PAGE_CALLS - 1);
    const state = () => [one, two, three].map((number) => find(number, 3) !== undefined);
    expect(state()).toEqual([true, true, true]);
    keep(pageful, 3);
    expect(state()).toEqual([false, true, true]);
    keep(pageful, 3);
    expect(state()).toEqual([false, false, true]);
  });

  test('one that is larger than all that may be kept stays until the next comes', () => {
    const { keep, find } = made({ maxKeptBytes: 100 * KB });
    const huge = keep(JSON.stringify('x'.repeat(1 * MB)));
    expect(find(huge)).toBeDefined();
    const next = keep(LARGE);
    expect([find(huge), find(next)]).toEqual([undefined, LARGE]);
  });

  test('the newest is kept also if nothing may be', () => {
    const { keep, find } = made({ maxKeptBytes: 0 });
    const large = keep(LARGE);
    expect(find(large)).toBe(LARGE);
    const small = keep(SMALL);
    expect([find(large), find(small)]).toEqual([undefined, SMALL]);
  });

  test('what is over is free for others', () => {
    const { kept, keep, find } = made({ maxKeptBytes: 3 * PAGE });
    const old = Array.from({ length: 10 }, () => keep(LARGE));
    kept.sweep(LINGER + 1);
    const young = Array.from({ length: 10 }, () => keep(LARGE, LINGER + 1));
    expect(old.some((number) => find(number, 0))).toBe(false);
    expect(young.every((number) => find(number, LINGER + 1))).toBe(true);
  });
});

test('a result that comes late does not keep those behind it from being freed', () => {
  const { kept, keep, find } = made();
  const slow = kept.ids.next();
  for (let count = 1; count < PAGE_CALLS; count += 1) keep(SMALL);
  const [next] = Array.from({ length: PAGE_CALLS }, () => keep(SMALL));
  kept.keep(slow, { owner: 1, ending: { kind: 'returned', json: SMALL }, durationMs: 0, fingerprint: '' }, LINGER);
  kept.sweep(LINGER + 1);
  expect(find(slow, LINGER + 1)).toBe(SMALL);
  // Asked about a time when it was there: it is really gone.
  expect(find(next ?? 0, 0)).toBeUndefined();
});

test('a result that comes late is kept with others of its page, also where there is no more room', () => {
  const { kept, keep, find } = made({ maxKeptBytes: 3 * PAGE });
  const longer = JSON.stringify('x'.repeat(4_000));
  const [first, late] = [keep(longer), kept.ids.next()];
  // The page of the first has no room in its block any more, and there are other pages.
  for (let count = 0; count < 6; count += 1) keep(longer, 1);
  for (let count = 8; count < 2 * PAGE_CALLS; count += 1) keep(SMALL, 2);
  kept.keep(late, { owner: 1, ending: { kind: 'returned', json: longer }, durationMs: 0, fingerprint: '' }, 3);
  expect(find(late, 3)).toBe(longer);
  expect(find(first, 3)).toBe(longer);
  const next = keep(SMALL, 4);
  expect(find(next, 4)).toBe(SMALL);
});

test('freeing the oldest costs the same however many there are', () => {
  const KEPT = 50_000;
  // Room for so many failures without words.
  const kept = new KeptResults({ lingerMs: LINGER, maxKeptBytes: KEPT * 512 });
  const failure = { code: 'tool_failed', message: '' } as const;
  const call = { owner: 1, ending: { kind: 'failed', outcome: 'tool_error', failure }, durationMs: 0, fingerprint: '' };
  const keep = (count: number) => kept.keep(count, call as never, 0);
  for (let count = 0; count < KEPT; count += 1) keep(count);
  const before = process.cpuUsage();
  for (let count = KEPT; count < 2 * KEPT; count += 1) keep(count);
  // Far less on a machine with nothing else to do; with the order of a Map it is far more.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_500);
  expect(kept.find(0, 1, 0)).toBeUndefined();
  expect(kept.find(KEPT, 1, 0)).toBeDefined();
});

test('whatever is kept, in whatever order calls end, comes back equal', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 600 }),
    fc.string({ unit: 'binary', minLength: 4_000, maxLength: 5_000 }),
  );
  const calls = fc.array(fc.tuple(text, fc.nat(3), fc.string({ unit: 'grapheme', maxLength: 50 })), { maxLength: 100 });
  fc.assert(
    fc.property(calls, (made) => {
      const kept = new KeptResults({ lingerMs: LINGER, maxKeptBytes: Number.MAX_SAFE_INTEGER });
      const all = made.map(([value, owner, print]) => {
        const call = { owner, ending: { kind: 'returned', json: JSON.stringify(value) } as const, durationMs: 1 };
        return { number: kept.ids.next(), call: { ...call, fingerprint: print && JSON.stringify([print]) } };
      });
      for (const { number, call } of [...all].reverse()) kept.keep(number, call, 0);
      for (const { number, call } of all) expect(kept.find(number, call.owner, 0)).toMatchObject(call);
    }),
    { numRuns: 20 },
  );
});
