import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecentResults } from './recent-results.ts';
import { TaskIds } from './task-id.ts';

const OPTIONS = { lingerMs: 60_000, maxRecentBytes: 1024 * 1024 };

function made(options: Partial<typeof OPTIONS> = {}) {
  const ids = new TaskIds();
  return { ids, recent: new RecentResults(ids, { ...OPTIONS, ...options }) };
}

test('a result comes back as it was, for its own session', () => {
  const { ids, recent } = made();
  const number = ids.next();
  const taskId = ids.toId(number);
  recent.keep({ number, session: 7, json: '{"text":"héllo 🎲"}' }, 0);
  expect(recent.find(taskId, 7, 1)).toBe('{"text":"héllo 🎲"}');
  expect(recent.find(taskId, 8, 1)).toBeUndefined();
});

test('an id that was not made here is not found', () => {
  const { ids, recent } = made();
  const number = ids.next();
  const id = ids.toId(number);
  recent.keep({ number, session: 1, json: '{}' }, 0);
  const foreign = new TaskIds();
  const others = ['mine', foreign.toId(foreign.next()), id.toUpperCase(), `${id.slice(0, -1)}g`, ` ${id}`, `${id}0`];
  // The next one, too: nobody has it yet.
  for (const taskId of [...others, ids.toId(number + 1)]) expect(recent.find(taskId, 1, 0), taskId).toBeUndefined();
  expect(recent.find(id, 1, 0)).toBe('{}');
});

test('a result is there for the time it lingers, and not longer, also before the sweep', () => {
  const { ids, recent } = made();
  const [early, late] = [ids.next(), ids.next()];
  recent.keep({ number: early, session: 1, json: '1' }, 0);
  recent.keep({ number: late, session: 1, json: '2' }, 40_000);
  const find = (number: number, now: number) => recent.find(ids.toId(number), 1, now);
  expect(find(early, 60_000)).toBe('1');
  expect(find(early, 60_001)).toBeUndefined();
  recent.sweep(60_001);
  expect(find(late, 60_001)).toBe('2');
  recent.sweep(100_001);
  expect(find(late, 0)).toBeUndefined();
});

test('of more than there is room for, the newest stay', () => {
  const { ids, recent } = made({ maxRecentBytes: 256 * 1024 });
  const kept = Array.from({ length: 20_000 }, (_, index) => {
    const number = ids.next();
    recent.keep({ number, session: 1, json: `{"index":${index}}` }, index);
    return ids.toId(number);
  });
  expect(recent.find(kept[0] ?? '', 1, 20_000)).toBeUndefined();
  expect(recent.find(kept.at(-1) ?? '', 1, 20_000)).toBe('{"index":19999}');
});

test('results that are larger than usual count for what they take', () => {
  const maxRecentBytes = 4 * 1024 * 1024;
  const { ids, recent } = made({ maxRecentBytes });
  const json = JSON.stringify('x'.repeat(4_000));
  const kept = Array.from({ length: 20_000 }, () => {
    const number = ids.next();
    recent.keep({ number, session: 1, json }, 0);
    return ids.toId(number);
  });
  const found = kept.filter((id) => recent.find(id, 1, 0) !== undefined);
  expect(found.at(-1)).toBe(kept.at(-1));
  // About: a page is as large as its results may become, and the newest stays whatever its size.
  expect(found.length * json.length).toBeLessThan(3 * maxRecentBytes);
});

test('whatever is kept, in whatever order calls end, comes back equal', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string({ unit: 'binary', maxLength: 600 }), fc.nat(3)), { maxLength: 200 }),
      (calls) => {
        const { ids, recent } = made({ maxRecentBytes: Number.MAX_SAFE_INTEGER });
        const all = calls.map(([text, session]) => ({ number: ids.next(), session, json: JSON.stringify(text) }));
        for (const each of [...all].reverse()) recent.keep(each, 0);
        for (const { number, session, json } of all) expect(recent.find(ids.toId(number), session, 0)).toBe(json);
      },
    ),
    { numRuns: 50 },
  );
});
