import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NetworkError } from './errors.ts';
import { readEventStream, type StreamEvent } from './event-stream.ts';
import { Silence } from './silence.ts';

/** Reads packets as the body of an answer, until an event named `end`; gives all events up to it. */
async function readPackets(packets: readonly Uint8Array<ArrayBuffer>[]): Promise<StreamEvent[]> {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const packet of packets) controller.enqueue(packet);
      controller.close();
    },
  });
  const events: StreamEvent[] = [];
  using silence = new Silence({ silenceMs: 1_000 });
  const onEvent = (event: StreamEvent) => {
    events.push(event);
    return event.event === 'end' ? events : undefined;
  };
  return readEventStream(new Response(body), onEvent, { silence, maxBytes: 1_000_000 });
}

/** Cuts text into packets of so many bytes, wherever that is. */
function toPackets(text: string, sizes: readonly number[]): Uint8Array<ArrayBuffer>[] {
  const bytes = new TextEncoder().encode(text);
  const packets: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  for (let count = 0; at < bytes.length; count += 1) {
    const size = sizes[count % sizes.length] ?? 1;
    packets.push(bytes.slice(at, at + size));
    at += size;
  }
  return packets;
}

const LINE_ENDS = { CR: '\r', LF: '\n', CRLF: '\r\n' };

test.each(Object.entries(LINE_ENDS))(
  'K2: lines that end with %s are read, byte by byte and in one piece',
  async (_name, eol) => {
    const text = ['event: chunk', 'data:  é漢😀', '', ': ping', '', 'event: end', 'data: ', '', ''].join(eol);
    const expected = [
      { event: 'chunk', data: ' é漢😀' },
      { event: 'end', data: '' },
    ];
    expect(await readPackets(toPackets(text, [1]))).toEqual(expected);
    expect(await readPackets(toPackets(text, [10_000]))).toEqual(expected);
  },
);

// Data without line ends: those make several lines of it, which is tested below.
const data = fc.string({ unit: 'binary' }).map((text) => text.replace(/[\r\n]/g, ' ').toWellFormed());

test('K2: events arrive as they were sent, however lines end and packets are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(data, { maxLength: 5 }),
      fc.constantFrom(...Object.values(LINE_ENDS)),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 }),
      async (payloads, eol, sizes) => {
        const events = [...payloads.map((payload) => ({ event: 'chunk', data: payload })), { event: 'end', data: 'x' }];
        const text = events.map((each) => `event: ${each.event}${eol}data: ${each.data}${eol}:${eol}${eol}`).join('');
        expect(await readPackets(toPackets(text, sizes))).toEqual(events);
      },
    ),
  );
});

test.each([
  ['data of several lines is joined', 'event: end\ndata: a\ndata:\ndata:  b\n\n', [{ event: 'end', data: 'a\n\n b' }]],
  ['exactly one space is removed', 'event:end\ndata:   x\n\n', [{ event: 'end', data: '  x' }]],
  ['a line without a colon is a field without a value', 'event: end\ndata\n\n', [{ event: 'end', data: '' }]],
  [
    'comments and unknown fields are skipped',
    ': c\nid: 1\nretry: x\nodd: y\nevent: end\ndata: z\n\n',
    [{ event: 'end', data: 'z' }],
  ],
  ['an event without data is none', 'event: end\n\nevent: end\ndata: z\n\n', [{ event: 'end', data: 'z' }]],
  ['a mark at the start is no part of the text', '\ufeffevent: end\ndata: z\n\n', [{ event: 'end', data: 'z' }]],
])('K2: %s', async (_name, text, expected) => {
  expect(await readPackets(toPackets(text, [1]))).toEqual(expected);
});

test.each([
  ['before its result', 'event: chunk\ndata: x\n\n'],
  ['in the middle of a line', 'event: end\ndata: {"ok":tr'],
  ['in the middle of an event', 'event: end\r\ndata: {}\r\n'],
  ['in the middle of a line end', 'event: end\r\ndata: {}\r'],
  ['at once', ''],
])('K3: a stream that ends %s is a NetworkError', async (_name, text) => {
  await expect(readPackets(toPackets(text, [1]))).rejects.toThrow(NetworkError);
});

test('an error of the reader’s own passes as it is', async () => {
  using silence = new Silence({ silenceMs: 1_000 });
  const onEvent = () => {
    throw new TypeError('mine');
  };
  const read = readEventStream(new Response('event: end\ndata: x\n\n'), onEvent, { silence, maxBytes: 1_000_000 });
  await expect(read).rejects.toThrow(new TypeError('mine'));
});

test('an answer without a body is a NetworkError', async () => {
  using silence = new Silence({ silenceMs: 1_000 });
  await expect(readEventStream(new Response(null), () => 1, { silence, maxBytes: 1_000_000 })).rejects.toThrow(
    NetworkError,
  );
});
