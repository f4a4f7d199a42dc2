import { expect, test } from 'vitest';
import { assertServer } from './server-version.ts';

test('N9: the version of a server decides, pre-releases included', () => {
  const check = (version: string) => () => assertServer({ version, jetstream: true }, 'here');
  for (const version of ['2.9.0', '2.9.10', '2.10.0-RC.1', '2.15.2', '3.0.0']) expect(check(version)).not.toThrow();
  for (const version of ['2.8.4', '2.2.0', '1.4.1', 'unknown', '']) expect(check(version)).toThrow('too old');
  expect(() => assertServer({ version: '2.15.0' }, 'here')).toThrow('JetStream');
});
