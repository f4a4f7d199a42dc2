import { expect, test } from 'vitest';
import {
  AuthError,
  ClientError,
  HttpError,
  MaxRetries,
  NetworkError,
  OutcomeUnknown,
  SessionTerminated,
  TimedOut,
  ToolCallError,
  ToolFailed,
} from './errors.ts';

const known = { status: 503, code: 'a_code', sid: 'a-sid', taskId: 'a-task' };
const cause = new TypeError('fetch failed', { cause: new Error('reset') });

const ERRORS: readonly [ClientError, Record<string, unknown>][] = [
  [new ClientError('m', { ...known, cause }), {}],
  [new HttpError(503, 'the detail', { ...known, cause }), { detail: 'the detail' }],
  [new AuthError(503, 'the detail', { ...known, cause }), { detail: 'the detail' }],
  [new SessionTerminated('m', { ...known, cause }), {}],
  [new ToolCallError('m', 'not_found', { ...known, cause }), { reason: 'not_found', outcome: 'tool_error' }],
  [new ToolFailed('m', { ...known, cause }), { outcome: 'env_error' }],
  [new OutcomeUnknown('m', { ...known, cause }), {}],
  [new TimedOut('m', { ...known, cause }), {}],
  [new NetworkError('m', { ...known, cause, unsent: true }), { unsent: true }],
  [new MaxRetries('it', [new Error('one'), cause], known), { errors: ['one', 'fetch failed'] }],
];

test.each(ERRORS.map(([error, more]) => [error.name, error, more] as const))(
  '%s keeps what it knows through JSON',
  (name, error, more) => {
    expect(error.constructor.name).toBe(name);
    expect(error).toBeInstanceOf(ClientError);
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name,
      message: error.message,
      ...known,
      cause: 'fetch failed',
      ...more,
    });
  },
);

test.each(ERRORS.map(([error]) => [error.name, error] as const))(
  '%s can be cloned, as for a worker',
  (_name, error) => {
    expect(structuredClone(error)).toMatchObject({ message: error.message });
    expect(structuredClone(error.toJSON())).toMatchObject(known);
  },
);

test('MaxRetries knows what its last error knew, unless told better', () => {
  const errors = [new HttpError(502, 'bad'), new HttpError(503, 'busy', { sid: 'a-sid', code: 'a_code' })];
  expect(new MaxRetries('it', errors)).toMatchObject({ status: 503, sid: 'a-sid', code: 'a_code', cause: errors[1] });
  expect(new MaxRetries('it', errors, { taskId: 'a-task' })).toMatchObject({ status: 503, taskId: 'a-task' });
});

const stopping = new HttpError(503, 'stopping', { code: 'shutting_down' });

test.each([
  ['of the last attempt', [new NetworkError('reset'), stopping], 'cancelled'],
  ['of the last one that reached the server', [stopping, new NetworkError('refused', { unsent: true })], 'cancelled'],
  ['unknown if the last one may have reached it', [stopping, new NetworkError('reset')], undefined],
  ['unknown if the last answer says nothing of it', [stopping, new HttpError(503, 'busy')], undefined],
  ['unknown if no attempt was answered', [new NetworkError('refused', { unsent: true })], undefined],
])('the outcome of MaxRetries is %s', (_whose, errors, outcome) => {
  expect(new MaxRetries('it', errors).outcome).toBe(outcome);
});

test.each([
  ['a string', 'why', 'why'],
  ['a BigInt', 10n, '10'],
  ['an object without a prototype', Object.create(null), '[object Object]'],
  ['an object that refers to itself', circular(), '[object Object]'],
  ['an error of another realm', { message: 'from elsewhere' }, 'from elsewhere'],
])('a cause that is %s does not keep an error from being written down', (_name, odd, text) => {
  expect(JSON.parse(JSON.stringify(new ClientError('m', { cause: odd })))).toMatchObject({ cause: text });
});

function circular(): object {
  const object: { self?: object } = {};
  object.self = object;
  return object;
}

test.each([
  ['session_expired', 410, 'expired'],
  ['session_gone', 410, 'cancelled'],
  ['setup_failed', 400, 'env_error'],
  [undefined, 500, 'env_error'],
  [undefined, 410, undefined],
  ['constructor', 400, undefined],
  ['bad_request', 400, undefined],
])('the code %s with the status %i says that the outcome is %s', (code, status, outcome) => {
  expect(new SessionTerminated('m', { code, status }).outcome).toBe(outcome);
  expect(new HttpError(status, 'm', { code }).outcome).toBe(outcome);
});
