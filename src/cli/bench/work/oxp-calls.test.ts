import { expect, test } from 'vitest';
import { checkOxpCall } from './oxp-calls.ts';

const check = (body: unknown, status = 200) =>
  checkOxpCall({
    status,
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body, null, 1)),
    isKept: true,
  });

test('a result that says success is one, bare as well', () => {
  expect(check({ result: { call_id: 'a', success: true, value: 3 } })).toBeUndefined();
  expect(check({ success: true, value: { success: false } })).toBeUndefined();
});

test('a failed tool is told with its message, whatever else the answer says', () => {
  const failed = { result: { success: false, error: { message: 'Türklingel?' }, value: { success: true } } };
  expect(check(failed)).toEqual({ kind: 'tool', detail: 'Türklingel?' });
});

test('what is no result is told apart from a failure', () => {
  expect(check({ value: 1 })).toMatchObject({ kind: 'malformed' });
  expect(check('oops')).toMatchObject({ kind: 'malformed' });
  expect(check({ message: 'a secret is missing' }, 400)).toEqual({ kind: 'status 400', detail: 'a secret is missing' });
});
