import { expect, test } from 'vitest';
import { ServerLog } from '../../proof/chaos/server-log.ts';
import { inLines } from '../../proof/lines.ts';

const line = (fields: object) => `${JSON.stringify({ level: 30, time: 5, ...fields })}\n`;

test('lines come out whole, wherever the pieces end', () => {
  const lines: string[] = [];
  const read = inLines((each) => lines.push(each));
  for (const piece of ['a', 'b\n', '\nc', '', 'd\ne\nf']) read(piece);
  expect(lines).toEqual(['ab', '', 'cd', 'e']);
});

test('a line without an end does not fill the memory', () => {
  const lines: string[] = [];
  const read = inLines((each) => lines.push(each));
  for (let count = 0; count < 100; count += 1) read('x'.repeat(10_000));
  read('\nnext\n');
  expect(lines.map(({ length }) => length)).toEqual([64 * 1024, 4]);
});

test('what nobody foresaw is a fault of the server, whatever it says', () => {
  const log = new ServerLog();
  const read = log.reader();
  read(line({ level: 50, msg: "tool 'broken' of environment 'chaos' failed" }));
  read(line({ level: 50, msg: "tool 'Chaos_Broken' failed" }));
  read(line({ level: 50, msg: "setup of environment 'chaos' failed" }));
  read(line({ level: 40, msg: "tool 'deaf' took longer than 100 ms" }));
  expect(log.faults).toEqual([]);
  const unforeseen = [
    line({ level: 50, msg: 'unexpected error' }),
    line({ level: 50, msg: 'an answer could not be written' }),
    line({ level: 50, msg: "tool 'quick' of environment 'chaos' failed" }),
    line({ level: 60, msg: 'a promise was rejected where nobody catches it' }),
    'TypeError: undefined is not a function\n',
  ];
  for (const each of unforeseen) read(each);
  expect(log.faults).toEqual(unforeseen.map((each) => each.trimEnd()));
});
