import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MalformedResponse } from '../../../http-client/index.ts';
import { type HttpResponse, WholeResponses } from './http-response.ts';

const withLength = (body: string, headers = '') =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const inChunks = (parts: readonly string[], trailers = '') =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${parts
    .map((part) => `${Buffer.byteLength(part).toString(16)};name=value\r\n${part}\r\n`)
    .join('')}0\r\n${trailers}\r\n`;

/** Pushes the pieces of several answers, and gives all that came out. */
function parse(text: string, cuts: readonly number[]): HttpResponse[] {
  const bytes = Buffer.from(text);
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const parser = new WholeResponses();
  const responses: HttpResponse[] = [];
  let start = 0;
  for (const end of [...places, bytes.length]) {
    if (end === start) continue;
    const response = parser.push(bytes.subarray(start, end));
    if (response !== undefined) responses.push(response);
    start = end;
  }
  expect(parser.isBusy).toBe(false);
  return responses;
}

const body = fc.string({ unit: 'binary', maxLength: 60 });
const cuts = fc.array(fc.nat(), { maxLength: 12 });

test('an answer with a length is read whole, wherever its bytes were cut', () => {
  fc.assert(
    fc.property(body, cuts, (text, places) => {
      const responses = parse(withLength(text), places);
      expect(responses.map(({ body }) => body.toString())).toEqual([Buffer.from(text).toString()]);
    }),
  );
});

test('an answer in chunks, with extensions and trailers, is read whole, wherever its bytes were cut', () => {
  const parts = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }), { maxLength: 5 });
  fc.assert(
    fc.property(parts, cuts, fc.constantFrom('', 'X-Sum: 1\r\n', 'A: 1\r\nB: 2\r\n'), (texts, places, trailers) => {
      const responses = parse(inChunks(texts, trailers), places);
      expect(responses.map(({ body }) => body.toString())).toEqual([Buffer.from(texts.join('')).toString()]);
    }),
  );
});

test('every single byte may come alone', () => {
  for (const text of [withLength('event: end\n\n'), inChunks(['a', 'bc', '\r\n0\r\n\r\n']), withLength('')]) {
    const everywhere = Array.from({ length: text.length }, (_, index) => index);
    expect(parse(text, everywhere)).toEqual(parse(text, []));
  }
});

test('answers with the head of the one before, and with another, are told apart', () => {
  const [short, long, chunked] = [withLength('abc'), withLength('abcd'), inChunks(['ab', 'c'])];
  const none = 'HTTP/1.1 204 No Content\r\n\r\n';
  const parser = new WholeResponses();
  for (const text of [short, short, long, short, chunked, chunked, none, none, long, long]) {
    const { status, body } = parser.push(Buffer.from(text)) as HttpResponse;
    const fresh = new WholeResponses().push(Buffer.from(text)) as HttpResponse;
    expect([status, body.toString()]).toEqual([fresh.status, fresh.body.toString()]);
  }
});

test('one parser reads one answer after the other', () => {
  const parser = new WholeResponses();
  for (const text of [withLength('one'), inChunks(['two']), withLength('three', 'Connection: close\r\n')]) {
    expect(parser.push(Buffer.from(text))?.body.toString()).toMatch(/^(one|two|three)$/);
  }
});

test('it knows which answers leave the connection open', () => {
  const kept = (head: string) => new WholeResponses().push(Buffer.from(`${head}\r\nContent-Length: 0\r\n\r\n`))?.isKept;
  expect(kept('HTTP/1.1 200 OK')).toBe(true);
  expect(kept('HTTP/1.1 503 Busy\r\nconnection: Close')).toBe(false);
  expect(kept('HTTP/1.0 200 OK')).toBe(false);
});

test('an answer without a length ends with the connection', () => {
  const parser = new WholeResponses();
  expect(parser.push(Buffer.from('HTTP/1.1 200 OK\r\n\r\nabc'))).toBeUndefined();
  expect(parser.push(Buffer.from('def'))).toBeUndefined();
  expect(parser.end()?.body.toString()).toBe('abcdef');
});

test('an answer that is cut is none', () => {
  for (const whole of [withLength('abc'), inChunks(['abc'])]) {
    for (let length = 0; length < whole.length; length += 1) {
      const parser = new WholeResponses();
      expect(parser.push(Buffer.from(whole.slice(0, length)))).toBeUndefined();
      expect(parser.end()).toBeUndefined();
    }
  }
});

test('answers that have no body, and those that only announce another, are passed over', () => {
  const parser = new WholeResponses();
  expect(parser.push(Buffer.from('HTTP/1.1 204 No Content\r\n\r\n'))?.status).toBe(204);
  expect(parser.push(Buffer.from(`HTTP/1.1 100 Continue\r\n\r\n${withLength('x')}`))?.status).toBe(200);
});

test.each([
  ['not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
  ['a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ['a chunk that is too long', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n'],
  ['more than was announced', `${withLength('abc')}d`],
  ['a body without bounds', 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n'],
  ['a head without end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`],
])('%s is refused', (_, text) => {
  expect(() => new WholeResponses().push(Buffer.from(text))).toThrow(MalformedResponse);
});
