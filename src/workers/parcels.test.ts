import { expect, test } from 'vitest';
import type { Order, Report } from './messages.ts';
import { pack, unpack } from './parcels.ts';

const order = (bytes: number | undefined): Order => ({
  kind: 'run',
  run: 1,
  episode: 2,
  request: { call: 3, id: 'c', attempt: 1, name: 'add', input: { note: '\ud800 "é"' }, ...(bytes && { bytes }) },
  trace: undefined,
});

const report = (json: string): Report => ({
  kind: 'run',
  run: 1,
  accepted: true,
  running: true,
  ending: { kind: 'returned', json, reward: 0.5 },
});

test.each<[what: string, messages: (Order | Report)[], isText: boolean]>([
  ['short runs', [order(20), order(30)], true],
  ['a run of which it is not known how large its input is', [order(20), order(undefined)], false],
  ['a large input', [order(20_000)], false],
  ['short results', [report('{}'), { ...report('{}'), ending: undefined } as Report], true],
  ['a large result', [report('{}'), report('x'.repeat(20_000))], false],
  ['a line of a log, with what JSON cannot say', [{ kind: 'log', level: 'info', fields: { at: 1n } }], false],
])('%s arrive as they were sent', (_what, messages, isText) => {
  const packed = pack(messages);
  expect(typeof packed === 'string').toBe(isText);
  expect(unpack(packed)).toEqual(messages);
});

test.each(['{', '{}', '"text"', 5, null, { kind: 'run' }])(
  'what an author sends over the channel is none of ours: %j',
  (sent) => {
    expect(unpack(sent)).toBeUndefined();
  },
);
