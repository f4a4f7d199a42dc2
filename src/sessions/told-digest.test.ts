import { expect, test } from 'vitest';
import type { CallEnding, CallFailure } from './call-ending.ts';
import { toldDigest } from './told-digest.ts';

function failed(failure: Partial<CallFailure>): CallEnding {
  return { kind: 'failed', outcome: 'tool_error', failure: { code: 'tool_failed', message: 'no', ...failure } };
}

// They are kept in journals: a newer version must find the same.
test('what a client was told has the same digest for ever', () => {
  expect(toldDigest({ kind: 'returned', json: '{"ok":true}' })).toBe('QGLtr3UPuAdOfoPgyQKMlO');
  expect(toldDigest(failed({}))).toBe('urdsMoWhU56mb6CoQygAPW');
  expect(toldDigest([{ type: 'text', text: 'Begin.', detail: null }])).toBe('O_hjdrGuwxmlO2Yf0XKmbf');
});

test('whatever a client could tell apart has another digest, and nothing else has', () => {
  const told = [
    failed({}),
    failed({ message: 'yes' }),
    failed({ promptContent: 'try again' }),
    failed({ code: 'environment_failed' }),
    { ...failed({}), outcome: 'timeout' } as CallEnding,
    { kind: 'returned', json: 'null' } as const,
    { kind: 'refused', failure: { code: 'tool_failed', message: 'no' } } as const,
  ];
  expect(new Set(told.map(toldDigest)).size).toBe(told.length);
  const hidden = { developerMessage: 'a stack', thrown: { name: 'E', message: 'at 5', stack: 'of today' } };
  expect(toldDigest(failed(hidden))).toBe(toldDigest(failed({})));
  const kept = { kind: 'returned', json: 'null', saved: '{"n":1}', reward: 1 } as const;
  expect(toldDigest(kept)).toBe(toldDigest({ kind: 'returned', json: 'null' }));
});
