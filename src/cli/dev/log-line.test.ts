import { createColors } from 'picocolors';
import { expect, test } from 'vitest';
import { describeEntry } from './log-line.ts';

const colors = createColors(false);

test.each([
  ['/ping', 200],
  ['/health', 200],
  ['/events?session=[cut]', 499],
  ['/events', 200],
])(
  'a request of %s that was answered with %i says nothing new, since the studio sends such by itself',
  (url, status) => {
    expect(describeEntry({ level: 30, msg: 'request', method: 'GET', url, status, ms: 1 }, colors)).toBeUndefined();
  },
);

test.each([
  ['/ping', 404],
  ['/events', 403],
  ['/events/nothing', 200],
  ['/hello/tools', 200],
])('a request of %s that was answered with %i is shown', (url, status) => {
  const line = describeEntry({ level: 30, msg: 'request', method: 'GET', url, status, ms: 1 }, colors);
  expect(line).toContain(`${status}  GET  ${url}`);
});

test('what the studio asks by itself is not shown, unless it fails', () => {
  const entry = { level: 30, msg: 'request', method: 'GET', url: '/list_environments', ms: 1, by: 'studio' };
  expect(describeEntry({ ...entry, status: 200 }, colors)).toBeUndefined();
  expect(describeEntry({ ...entry, status: 500 }, colors)).toContain('500  GET  /list_environments');
});
