import { expect, test } from 'vitest';
import { Batch, entriesOf, textOf } from './batch.ts';
import type { Entry } from './messages.ts';

const CALL = '"tool":"add","input":{"note":"zwölf"},"id":"1"';
const RESULT = '"ms":0.1,"outcome":"returned","blocks":[]';

function entry(given: Partial<Entry>): Entry {
  return { kind: 'note', session: 7, at: 1_000, call: 0, reward: Number.NaN, text: '"text":"é"', ...given };
}

function received(batch: Batch) {
  return Array.from(entriesOf(batch.take()), (each) => ({
    kind: each.kind,
    session: each.session,
    call: each.call,
    reward: each.reward,
    text: textOf(each),
  }));
}

test('entries arrive as they were sent; a call and its result in one are two', () => {
  const batch = new Batch();
  batch.push(entry({}));
  batch.push(entry({ kind: 'called', call: 3, reward: 0.5, text: `${CALL}\n${RESULT}` }));
  batch.push(entry({ kind: 'call', session: 8, call: 4, text: CALL }));
  expect(received(batch)).toEqual([
    { kind: 'note', session: 7, call: 0, reward: Number.NaN, text: '"text":"é"' },
    { kind: 'call', session: 7, call: 3, reward: 0.5, text: CALL },
    { kind: 'result', session: 7, call: 3, reward: 0.5, text: RESULT },
    { kind: 'call', session: 8, call: 4, reward: Number.NaN, text: CALL },
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
  expect(received(batch)).toMatchObject([{ text: '"text":"of this one"' }]);
  batch.push(entry({ text: 'x'.repeat(2 ** 20) }));
  batch.push(entry({ text: 'y'.repeat(2 ** 20) }));
  const large = batch.take().buffer;
  expect(large.byteLength).toBeGreaterThan(2 ** 21);
  batch.giveBack(large);
  batch.take();
  expect(batch.take().buffer === large).toBe(false);
});
