import { expect, test } from 'vitest';
import { Batch, ReceivedBatch, textOf } from './batch.ts';
import type { Entry } from './messages.ts';

const CALL = '"tool":"add","input":{"note":"zwölf"},"id":"1"';
const RESULT = '"ms":0.1,"outcome":"returned","blocks":[]';

function entry(given: Partial<Entry>): Entry {
  return { kind: 'note', session: 7, at: 1_000, call: 0, reward: Number.NaN, text: '"text":"é"', ...given };
}

function entriesOf(bytes: Uint8Array) {
  const batch = new ReceivedBatch(bytes);
  return Array.from(batch.bySession().values(), (places) => places.map((place) => batch.at(place))).flat();
}

function received(bytes: Uint8Array) {
  return entriesOf(bytes).map((each) => ({
    kind: each.kind,
    session: each.session,
    call: each.call,
    reward: each.reward,
    text: textOf(each),
  }));
}

test('entries arrive as they were sent; of a call and its result in one, it is known where the call ends', () => {
  const batch = new Batch();
  batch.push(entry({}));
  batch.push(entry({ kind: 'call', call: 3, text: CALL }));
  expect(batch.pushResult(entry({ kind: 'result', call: 3, reward: 0.5, text: RESULT }))).toBe(true);
  batch.push(entry({ kind: 'call', session: 8, call: 4, text: CALL }));
  const bytes = batch.take();
  expect(received(bytes)).toEqual([
    { kind: 'note', session: 7, call: 0, reward: Number.NaN, text: '"text":"é"' },
    { kind: 'called', session: 7, call: 3, reward: 0.5, text: CALL + RESULT },
    { kind: 'call', session: 8, call: 4, reward: Number.NaN, text: CALL },
  ]);
  const lines = entriesOf(bytes).map((each) => each.bytes.toString('utf8', each.start, each.middle));
  expect(lines).toEqual(['"text":"é"', CALL, CALL]);
});

test('a result is added only to its own call, right behind it, at the same time and in the same batch', () => {
  const batch = new Batch();
  const result = entry({ kind: 'result', call: 3, text: RESULT });
  expect(batch.pushResult(result)).toBe(false);
  const call = entry({ kind: 'call', call: 3, text: CALL });
  batch.push(call);
  expect(batch.pushResult({ ...result, call: 4 })).toBe(false);
  expect(batch.pushResult({ ...result, at: 1_001 })).toBe(false);
  // Less than a millisecond later.
  expect(batch.pushResult({ ...result, at: 1_000.4 })).toBe(true);
  expect(batch.pushResult(result)).toBe(false);
  batch.push(call);
  batch.push(entry({}));
  expect(batch.pushResult(result)).toBe(false);
  batch.push(call);
  batch.take();
  expect(batch.pushResult(result)).toBe(false);
});

test('there is room for a result of any size behind its call', () => {
  const batch = new Batch();
  batch.push(entry({ kind: 'call', call: 3, text: CALL }));
  const text = `"ms":1,"text":"${'ö'.repeat(2 ** 22)}"`;
  batch.pushResult(entry({ kind: 'result', call: 3, text }));
  expect(received(batch.take())).toMatchObject([{ kind: 'called', text: CALL + text }]);
});

test('entries are found by session, each in its order, and sessions in the order in which they came', () => {
  const batch = new Batch();
  for (const [order, session] of [9, 4, 9, 4, 4].entries()) batch.push(entry({ session, text: `${order}` }));
  const arrived = new ReceivedBatch(batch.take());
  const texts = Array.from(arrived.bySession(), ([session, places]) => [
    session,
    places.map((place) => textOf(arrived.at(place))),
  ]);
  expect(texts).toEqual([
    [9, ['0', '2']],
    [4, ['1', '3', '4']],
  ]);
});

test('memory that was given back is used again, unless it is of another size', () => {
  const batch = new Batch();
  batch.push(entry({}));
  const first = batch.take().buffer;
  batch.giveBack(first);
  // What has been waiting was made before it came back.
  batch.push(entry({}));
  expect(batch.take().buffer === first).toBe(false);
  batch.push(entry({ text: '"text":"of this one"' }));
  expect(received(batch.take())).toMatchObject([{ text: '"text":"of this one"' }]);
  batch.push(entry({ text: 'x'.repeat(2 ** 22) }));
  batch.push(entry({ text: 'y'.repeat(2 ** 22) }));
  const large = batch.take().buffer;
  expect(large.byteLength).toBeGreaterThan(2 ** 23);
  batch.giveBack(large);
  batch.take();
  expect(batch.take().buffer === large).toBe(false);
});
