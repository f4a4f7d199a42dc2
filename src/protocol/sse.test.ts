import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEvents, readEventsLikePython } from '../../test/support/sse.ts';
import { encodeError, encodeTaskId, PING } from './sse.ts';

const KILOBYTE = 1024;

test.each([
  ['\n', 'line feeds'],
  ['\r', 'carriage returns'],
  ['\r\n', 'both'],
  ['\u2028', 'line separators'],
])('E9: each line of a message becomes a line of data, with %j between them (%s)', (lineBreak) => {
  const event = encodeError(['first', '', '  third'].join(lineBreak));
  expect(event).toBe('event: error\ndata: first\ndata: \ndata:   third\n\n');
  expect(readEvents(event)).toEqual([{ event: 'error', data: 'first\n\n  third' }]);
});

test.each(['x', 'é', '漢', '😀', '\n', '\r\n', 'line\n'])(
  'E9: a megabyte of %j is cut to 64 KB and says so',
  (piece) => {
    const event = encodeError(piece.repeat(1024 * KILOBYTE));
    expect(Buffer.byteLength(event)).toBeLessThanOrEqual(64 * KILOBYTE);
    expect(event).toContain('[cut, ');
    expect(event.isWellFormed()).toBe(true);
  },
);

test('E2, E9, E10: any message is one event, and every line of it is a field', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.constantFrom('', '\n', '\r\n', ':'), (part, mark) => {
      const event = encodeError(part + mark + part);
      expect(event).toMatch(/^event: error\n(data: [^\n\r]*\n)+\n$/);
      expect(readEvents(event)).toHaveLength(1);
    }),
  );
});

test('E2: a task id is one event, and a ping is none', () => {
  const stream = PING + encodeTaskId('call-001') + PING;
  expect(stream).toBe(': ping\n\nevent: task_id\ndata: call-001\n\n: ping\n\n');
  expect(readEventsLikePython(stream)).toEqual([{ event: 'task_id', data: 'call-001' }]);
});
