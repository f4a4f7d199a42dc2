import type { ToolErrors } from 'tiltyard/server';
import { expect } from 'vitest';
import { expectError } from './errors.ts';
import type { CallAnswer } from './http.ts';

/** How a refused call is told to a client: by HTTP status, or in the stream as a result with `ok: false`. */
export type Told = 'by status' | 'in the stream';

/** Which clients are told in which way, for each choice of the server. */
export const TELLING: readonly [toolErrors: ToolErrors, userAgent: string, told: Told][] = [
  ['auto', 'ors-sdk/0.1.0', 'in the stream'],
  ['auto', 'openreward-sdk/0.1.112', 'in the stream'],
  ['auto', 'node', 'by status'],
  ['auto', 'python-requests/2.32', 'by status'],
  ['auto', 'my-ors-sdk/0.1.0', 'by status'],
  ['http', 'ors-sdk/0.1.0', 'by status'],
  ['http', 'node', 'by status'],
  ['envelope', 'openreward-sdk/0.1.112', 'in the stream'],
  ['envelope', 'node', 'in the stream'],
];

/** What a refusal says, whichever way it is told. */
export interface Refusal {
  readonly status: number;
  readonly reason: 'not_found' | 'input_validation';
  readonly message: string | RegExp;
}

/** Checks that a call was refused, and told so in this way. */
export function expectRefusal(answer: CallAnswer, told: Told, { status, reason, message }: Refusal): void {
  if (told === 'by status') return expectError(answer, status, message);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.events.map(({ event }) => event)).toEqual(['task_id', 'end']);
  expect(answer.result).toEqual({ ok: false, error: expect.stringMatching(message), reason });
}
