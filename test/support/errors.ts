import { expect } from 'vitest';
import type { Answer } from './http.ts';

/** Checks that an answer is an error as the standard wants it: JSON with a `detail` for people and none of our insides. */
export function expectError(answer: Answer, status: number, detail: string | RegExp = /\S/): void {
  expect(answer.status, answer.text.slice(0, 500)).toBe(status);
  expectErrorBody(answer);
  expect(answer.json.detail).toMatch(detail);
}

/** Checks the body alone, where several statuses would do. */
export function expectErrorBody({ headers, json, text }: Answer): void {
  expect(headers.get('content-type'), text.slice(0, 500)).toMatch(/^application\/json\b/);
  expect(json).toMatchObject({ detail: expect.stringMatching(/\S/) });
  expect(text).not.toMatch(/\\n\s+at |node_modules|<html/i);
}
