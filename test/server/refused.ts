import { expect } from 'vitest';
import { expectError } from '../support/errors.ts';
import type { Answer } from '../support/http.ts';
import type { Operation } from './operations.ts';

/** Checks that an answer refuses an unknown caller, in the words of the protocol of its route. */
export function expectRefused({ method, face, name }: Operation, answer: Answer, onCall: 400 | 401 = 400): void {
  expect(answer.headers.get('www-authenticate'), name).toBe('Bearer');
  if (face === 'ors') {
    expectError(answer, 401, 'valid credentials are required');
    expect(answer.json.code).toBe('unauthorized');
    return;
  }
  expect(answer.status, name).toBe(method === 'POST' ? onCall : 401);
  expect(answer.json).toEqual({
    $schema: 'urn:oxp:1.0',
    message: 'Valid credentials are required',
    developer_message: expect.stringContaining('OXP-API-Key'),
  });
}
