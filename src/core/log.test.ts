import { expect, test } from 'vitest';
import { type EpisodeLog, episodeLog, type Log } from './index.ts';

/** A log of an episode with these secrets, and the lines it wrote. */
function logOf(secrets: Record<string, string>): { log: EpisodeLog; lines: string[] } {
  const lines: string[] = [];
  const write = (fields: object, message?: string) => lines.push(JSON.stringify({ ...fields, message }));
  const target: Log = { debug: write, info: write, warn: write, error: write };
  return { log: episodeLog(target, { sid: 's' }, secrets), lines };
}

test('every line carries the fields of its episode and those of its author', () => {
  const { log, lines } = logOf({});
  log.info('hello', { tries: 3 });
  expect(JSON.parse(lines[0] ?? '')).toEqual({ sid: 's', tries: 3, message: 'hello' });
});

test('fields may come first, as in other loggers', () => {
  const { log, lines } = logOf({ key: 'abcd' });
  (log.info as unknown as (fields: object, message?: string) => void)({ tries: 3 }, 'hello abcd');
  (log.info as unknown as (fields: object) => void)({ tries: 4 });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { sid: 's', tries: 3, message: 'hello [secret]' },
    { sid: 's', tries: 4, message: '' },
  ]);
});

test('an error is written with its message, stack and causes', () => {
  const { log, lines } = logOf({});
  log.error('failed', { error: new TypeError('outer', { cause: new Error('inner') }) });
  expect(JSON.parse(lines[0] ?? '').error).toMatchObject({
    type: 'TypeError',
    message: 'outer',
    stack: expect.stringContaining('log.test.ts'),
    cause: { message: 'inner' },
  });
});

test('what is not a secret is not hidden', () => {
  const { log, lines } = logOf({ key: 'abcd', short: 'a' });
  log.info('a banana', { abc: 'ab cd' });
  expect(lines[0]).toContain('a banana');
  expect(lines[0]).toContain('"abc":"ab cd"');
});

test('a secret is hidden as a key, as a value, and inside text', () => {
  const { log, lines } = logOf({ key: 'abcd' });
  log.info('an abcd', { abcd: 1, list: ['abcd', { deep: 'xabcdx' }] });
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    sid: 's',
    '[secret]': 1,
    list: ['[secret]', { deep: 'x[secret]x' }],
    message: 'an [secret]',
  });
});

test('of two secrets that begin alike, the longer one is hidden whole', () => {
  const { log, lines } = logOf({ first: 'abcd', second: 'abcdefgh' });
  log.info('abcd and abcdefgh', { both: 'abcdefgh,abcd' });
  expect(lines[0]).not.toContain('efgh');
});

test.each([
  ['a number', '12345678', { amount: 12345678 }],
  ['part of a number', '1234', { at: [0.51234] }],
  ['the marks of JSON', '":"x', { name: 'xyz' }],
  ['part of an escape', 'nabcd', { text: '\nabcd' }],
])('a secret that matches %s of the fields is hidden, and the line is written', (_what, secret, fields) => {
  const { log, lines } = logOf({ key: secret });
  log.info('told', fields);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('[secret]');
  expect(lines[0]).toContain('told');
});

const circular: { name: string; self?: object } = { name: 'abcd' };
circular.self = circular;
const endless = new Error('abcd');
endless.cause = endless;

test.each([
  ['refer to themselves', { circular }],
  ['hold an error that is its own cause', { endless }],
  [
    'throw when they are read',
    {
      get broken() {
        throw new Error('abcd');
      },
    },
  ],
  ['are a function', () => {}],
])('fields that %s do not break what is logged, nor let a secret out', (_what, fields) => {
  const { log, lines } = logOf({ key: 'abcd' });
  log.warn('told', fields);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('told');
  expect(lines[0]).not.toContain('abcd');
});

test('what an author logs cannot steer a terminal or hide anything', () => {
  const { log, lines } = logOf({ key: 'abcd' });
  log.info('a\x9b2J\u202eb\u200babcd', { text: '\x9b\u2028\u200b', deep: [{ 'k\u2066': '\u{e0041}' }] });
  log.error('failed', { error: new Error('\u202e\x85') });
  expect(lines.join('\n')).not.toMatch(/[\x7f-\x9f\u2028\u202e\u200b\u2066]|\u{e0041}/u);
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    sid: 's',
    text: '%C2%9B%E2%80%A8%E2%80%8B',
    deep: [{ 'k%E2%81%A6': '%F3%A0%81%81' }],
    message: 'a%C2%9B2J%E2%80%AEb%E2%80%8B[secret]',
  });
});
