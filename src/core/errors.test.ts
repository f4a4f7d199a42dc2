import { expect, test } from 'vitest';
import { toThrown } from './errors.ts';
import { redact } from './redact.ts';

test('what was thrown is cut when its secrets are out of it: half of one would not be found', () => {
  const secret = 'not-for-anybody';
  const clean = (text: string) => redact(text, { KEY: secret });
  for (let before = 16_384 - secret.length; before <= 16_384; before += 1) {
    const error = new Error('x'.repeat(before) + secret);
    const { message, stack } = toThrown(error, clean);
    for (const text of [message, stack]) expect(text).not.toContain('not-');
    expect(message).toHaveLength(Math.min(before + '[secret]'.length, 16_384 + 1));
  }
});
