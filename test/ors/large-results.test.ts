import { expect, test } from 'vitest';
import { startServer } from '../support/http.ts';
import { readEvents } from '../support/sse.ts';

const CHARACTERS = 6_000_000;

/** The text of a result that came in many events. */
function textIn(body: string): string {
  const parts = readEvents(body).filter(({ event }) => event === 'chunk' || event === 'end');
  return JSON.parse(parts.map(({ data }) => data).join('')).output.blocks[0].text;
}

test('a large result that is read slowly is its own, however many others are sent meanwhile', async () => {
  const { url, create, call } = await startServer();
  const slow = await fetch(`${url}/math/call`, {
    method: 'POST',
    headers: { 'x-session-id': await create(), 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'big', input: { n: CHARACTERS, ch: 's' } }),
  });
  const reader = slow.body?.getReader();
  if (reader === undefined) throw new Error('there is no body');
  const first = await reader.read();
  const sid = await create();
  // Memory that a piece of these was in is used again: never while a piece still waits in it for its reader.
  for (const ch of ['a', 'b']) {
    const { text } = await call(sid, 'big', { n: CHARACTERS, ch });
    expect(textIn(text) === ch.repeat(CHARACTERS)).toBe(true);
  }
  const chunks = [first.value ?? new Uint8Array()];
  for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
  expect(textIn(Buffer.concat(chunks).toString()) === 's'.repeat(CHARACTERS)).toBe(true);
});
