import { expect, test } from 'vitest';
import { callFields } from './fields.ts';

test('any id that a client may choose is JSON in a record', () => {
  const visible = Array.from({ length: 0x7f - 0x21 }, (_, at) => String.fromCharCode(0x21 + at)).join('');
  for (const id of ['plain', 'a"b', 'a\\b', '"', visible])
    expect(JSON.parse(`{${callFields('"add"', { n: 1 }, id)}}`)).toEqual({ tool: 'add', input: { n: 1 }, id });
});
