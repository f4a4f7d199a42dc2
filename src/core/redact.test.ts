import { expect, test } from 'vitest';
import { redact } from './redact.ts';

test('what hides one secret is not searched for the next', () => {
  const secrets = { first: 'hunter22', second: 'secr', third: '[secret]' };
  expect(redact('hunter22 secr hunter22', secrets)).toBe('[secret] [secret] [secret]');
});

test('many secrets do not make a text grow', () => {
  const secrets = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [index, index === 0 ? 'aaaaa' : 'secr']),
  );
  expect(redact('aaaaa,'.repeat(1_000), secrets)).toBe('[secret],'.repeat(1_000));
});

test('a secret is hidden in JSON as well, where it is written otherwise', () => {
  expect(redact(JSON.stringify({ key: 'a"b\nc' }), { key: 'a"b\nc' })).toBe('{"key":"[secret]"}');
});

test('a text without secrets is itself, however long', () => {
  const text = 'x'.repeat(100_000);
  expect(redact(text, {})).toBe(text);
  expect(redact('short \uffff', { key: 'hunter22' })).toBe('short \uffff');
});

test.each([0, 1, 7, 8, 9])('a long text is cut where half a secret would be left, %i characters before', (before) => {
  const text = `${'x'.repeat(65_536 - before)}hunter22${'y'.repeat(100_000)}`;
  const clean = redact(text, { key: 'hunter22' });
  expect(clean).not.toMatch(/h|u|n/);
  expect(clean.endsWith('…')).toBe(true);
  expect(clean.length).toBeLessThanOrEqual(65_536 + 8 + 1);
});
