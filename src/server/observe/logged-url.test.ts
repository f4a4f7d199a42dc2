import { expect, test } from 'vitest';
import { toLoggedUrl } from './logged-url.ts';

const HEX = '0123456789abcdef'.repeat(4);
const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';

test.each([
  ['/math/call', '/math/call'],
  ['/', '/'],
  ['/Code_Env/task_tools/', '/Code_Env/task_tools/'],
  ['/swe-rebench-verified-2025-09-lite/call', '/swe-rebench-verified-2025-09-lite/call'],
  ['/862752b5-2c50-4c18-9db5-5bb5cb1fa4b7', '/862752b5-2c50-4c18-9db5-5bb5cb1fa4b7'],
  ['evil.com:443', 'evil.com:443'],
  ['/math/tools?', '/math/tools?'],
])('the URL %s is logged as it is', (url, logged) => expect(toLoggedUrl(url)).toBe(logged));

test.each([
  [`/math/tools?api_key=${HEX}`, '/math/tools?api_key=[cut]'],
  ['/math/tools?split=train&token=abc', '/math/tools?split=[cut]&token=[cut]'],
  ['/tools?key=a=b&&x', '/tools?key=[cut]&&[cut]'],
  [`/tools?${HEX}`, '/tools?[cut]'],
  [`/tools?${HEX}=`, '/tools?[cut]=[cut]'],
  ['/tools#access_token=abc', '/tools#access_token=[cut]'],
  ['/tools?a=b#c=d', '/tools?a=[cut]'],
  ['/tools?a=%00\u200b', '/tools?a=[cut]'],
  ['http://anna:secret@host/tools', 'http://[cut]@host/tools'],
  [`/${TOKEN}/tools`, '/[cut]/tools'],
  [`/math/${HEX}`, '/math/[cut]'],
  ['/sk-Ab3dEf6hIj9kLm2nOp5qRs8tUv/math/tools', '/[cut]/math/tools'],
  ['/a\x9b\u202eb', '/a%C2%9B%E2%80%AEb'],
])('of the URL %s no key, token or hidden character gets into the log', (url, logged) =>
  expect(toLoggedUrl(url)).toBe(logged),
);

test('a URL of any length is read in time that grows with it', () => {
  const long = `/${'aA1-'.repeat(20_000)}!/${'/eyJa.'.repeat(10_000)}!?${'a=b&'.repeat(10_000)}`;
  const before = process.cpuUsage();
  toLoggedUrl(long);
  expect(process.cpuUsage(before).user).toBeLessThan(500_000);
});
