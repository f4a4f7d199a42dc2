import { expect, test } from 'vitest';
import { InvalidNatsAddress, parseNatsAddress } from './address.ts';

test('an address has servers, and who connects', () => {
  expect(parseNatsAddress('nats://one:4222')).toMatchObject({ servers: ['one:4222'], isSecure: false });
  expect(parseNatsAddress('one, two:1')).toMatchObject({ servers: ['one:4222', 'two:1'] });
  expect(parseNatsAddress('tls://anna:p%40ss@one')).toMatchObject({ user: 'anna', pass: 'p@ss', isSecure: true });
  expect(parseNatsAddress('nats://t0ken@one')).toMatchObject({ token: 't0ken' });
});

test('what is shown of it has no password', () => {
  expect(parseNatsAddress('nats://anna:hunter2@one,two').shown).toBe('nats://one:4222,two:4222');
});

test.each(['', 'http://one', 'nats://', 'nats://one:x', 'one,,two'])('%j is no address', (text) => {
  expect(() => parseNatsAddress(text)).toThrow(InvalidNatsAddress);
});
