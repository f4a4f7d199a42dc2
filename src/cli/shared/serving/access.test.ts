import { expect, test } from 'vitest';
import { takeAccess } from './access.ts';

const access = (host: string, auth = true) => takeAccess({ host, auth }, () => {});

test.each(['localhost', '::1', '127.0.0.1', '127.1.2.3'])('on %s nobody needs a key', async (host) => {
  expect(await access(host)).toBeUndefined();
});

test.each([
  '0.0.0.0',
  '::',
  '10.0.0.1',
  '127.example.com',
  '127.0.0.1.example.com',
  '1270.0.0.1',
  'localhost.example.com',
])('on %s, which others may reach, somebody must say that nobody needs a key', async (host) => {
  await expect(access(host)).rejects.toThrow(`${host} can be reached from other machines`);
  expect(await access(host, false)).toBeUndefined();
});
