import { expect, test } from 'vitest';
import { encodeError, encodeResult, encodeTaskId } from '../../../protocol/index.ts';
import { checkCall, toSid } from './ors-answer.ts';

const respond = (text: string, status = 200) => ({ status, body: Buffer.from(text), isKept: true });

const stream = (result: unknown) =>
  encodeTaskId('abc') + Buffer.concat([...encodeResult(JSON.stringify(result))]).toString();

const output = (more: object = {}) => ({
  blocks: [{ text: 'ok', detail: null, type: 'text' }],
  metadata: null,
  reward: 1,
  finished: false,
  ...more,
});

test('a result is ok, in one event or in chunks, with any line ends and spaces', () => {
  const large = { ok: true, output: output({ blocks: [{ text: 'ä'.repeat(9_000), detail: null, type: 'text' }] }) };
  expect(checkCall(respond(stream({ ok: true, output: output() })))).toBe('ok');
  expect(checkCall(respond(stream(large)))).toBe('ok');
  const spaced =
    'event: task_id\r\ndata: x\r\n\r\n: ping\r\n\r\nevent: end\r\ndata: { "ok": true, "output": {} }\r\n\r\n';
  expect(checkCall(respond(spaced))).toBe('ok');
});

test('the end of an episode is told by the output alone, not by what a text or the metadata says', () => {
  expect(checkCall(respond(stream({ ok: true, output: output({ finished: true }) })))).toBe('finished');
  expect(checkCall(respond(stream({ ok: true, output: output({ metadata: { finished: true } }) })))).toBe('ok');
  const text = { text: '"finished":true', detail: null, type: 'text' };
  expect(checkCall(respond(stream({ ok: true, output: output({ blocks: [text] }) })))).toBe('ok');
});

test('a refused call and an error event are failures of the tool, with what was said', () => {
  const refused = { ok: false, error: 'Zahl: größer als 0', reason: 'input_validation' };
  expect(checkCall(respond(stream(refused)))).toEqual({ kind: 'tool', detail: 'Zahl: größer als 0' });
  expect(checkCall(respond(encodeTaskId('x') + encodeError('it broke')))).toEqual({ kind: 'tool', detail: 'it broke' });
});

test('a stream without its end is cut, wherever that happens', () => {
  const whole = stream({ ok: true, output: output({ blocks: [{ text: 'a'.repeat(9_000), type: 'text' }] }) });
  for (let length = 0; length < whole.length; length += 97) {
    expect(checkCall(respond(whole.slice(0, length)))).toMatchObject({ kind: 'cut' });
  }
});

test('statuses are told apart, and a session that is not there is a kind of its own', () => {
  expect(checkCall(respond('{"detail":"busy"}', 503))).toEqual({ kind: 'status 503', detail: 'busy' });
  expect(checkCall(respond('<html>', 502))).toEqual({ kind: 'status 502', detail: '<html>' });
  expect(checkCall(respond('{"detail":"no session"}', 404)).valueOf()).toMatchObject({ kind: 'gone' });
  expect(checkCall(respond('{"detail":"it has ended"}', 410))).toMatchObject({ kind: 'gone' });
  expect(checkCall(respond('event: end\ndata: [1]\n\n'))).toMatchObject({ kind: 'malformed' });
});

test('a session id comes as JSON or as events', () => {
  expect(toSid(Buffer.from('{"sid": "a-b"}'))).toBe('a-b');
  expect(toSid(Buffer.from('event: task_id\r\ndata: a-b\r\n\r\nevent: end\r\ndata: \r\n\r\n'))).toBe('a-b');
  expect(toSid(Buffer.from('{}'))).toBeUndefined();
});
