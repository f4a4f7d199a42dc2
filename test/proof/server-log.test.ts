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
  const read = log.reader(1);
  read(line({ level: 50, msg: "tool 'broken' of environment 'chaos' failed" }));
  read(line({ level: 50, msg: "tool 'Chaos_Broken' failed" }));
  read(line({ level: 50, msg: "setup of environment 'chaos' failed" }));
  read(line({ level: 40, msg: "tool 'deaf' took longer than 100 ms" }));
  expect(log.faults).toEqual([]);
  const unforeseen = [
    line({ level: 50, msg: 'unexpected error' }),
    line({ level: 50, msg: 'a response could not be written' }),
    line({ level: 50, msg: "tool 'quick' of environment 'chaos' failed" }),
    line({ level: 60, msg: 'a promise was rejected where nobody catches it' }),
    'TypeError: undefined is not a function\n',
  ];
  for (const each of unforeseen) read(each);
  expect(log.faults).toEqual(unforeseen.map((each) => each.trimEnd()));
});

test('calls and sessions are told by their episode and life, also where the id of a session is used again', () => {
  const log = new ServerLog((id) => (id === 'call-1' ? 'e.0' : id));
  const lines = [
    line({ sid: 's', episode: 'e', msg: 'episode begins' }),
    line({ sid: 's', taskId: 'call-1', tool: 'quick', ms: 1, outcome: 'returned', msg: 'call' }),
    line({ sid: 's', outcome: 'cancelled', calls: 1, ms: 9, msg: 'session ended' }),
    line({ sid: 's', episode: 'e-again', msg: 'episode begins' }),
    line({ method: 'POST', url: '/delete', sid: 's', status: 200, ms: 1, msg: 'request' }),
    line({ sid: 's', outcome: 'expired', calls: 0, ms: 9, msg: 'session ended' }),
    line({ callId: 'oxp-1.7', tool: 'Chaos.Deaf@1.0.0', ms: 1, outcome: 'cancelled', msg: 'call' }),
  ];
  const text = lines.join('');
  const read = log.reader(2);
  for (let at = 0; at < text.length; at += 7) read(text.slice(at, at + 7));
  expect(log.faults).toEqual([]);
  const common = { at: 5, life: 2 };
  expect(log.events).toEqual([
    { ...common, episode: 'e', what: 'call', token: 'e.0', tool: 'quick', outcome: 'returned' },
    { ...common, episode: 'e', what: 'session ended', calls: 1, outcome: 'cancelled' },
    { ...common, episode: 'e-again', what: 'session ended', calls: 0, outcome: 'expired' },
    { ...common, episode: 'oxp-1', what: 'call', token: 'oxp-1.7', tool: 'Chaos.Deaf@1.0.0', outcome: 'cancelled' },
  ]);
});
