import { AnswerTooLarge, ClientError, TimedOut } from 'tiltyard/client';
import { describe, expect, test } from 'vitest';
import { quickClient, rejection } from '../support/client.ts';
import { startForeign } from '../support/foreign.ts';
import { ATTACKS, startHostile } from '../support/hostile.ts';
import { quickOxp } from '../support/oxp.ts';

const MB = 1024 * 1024;
const BOUNDS = { maxAnswerBytes: 32 * MB, answerMs: 3_000, silenceMs: 3_000 };

const QUESTIONS = {
  'a list': (url: string) => quickClient({ url }, BOUNDS).environment('math').tools(),
  'a session': (url: string) => quickClient({ url }, BOUNDS).session({ split: 'train', index: 0 }),
  'a call over ORS': (url: string) => quickClient({ url }, BOUNDS).environment('math').attach('sid').call('tool', {}),
  'a list over OXP': (url: string) => quickOxp({ url }, BOUNDS).tools(),
  'a call over OXP': (url: string) => quickOxp({ url }, BOUNDS).call('Any.Tool'),
};

describe.each(Object.entries(ATTACKS))('%s', (_attack, attack) => {
  test.each(Object.entries(QUESTIONS))('to %s ends with an error of the client', async (_question, ask) => {
    const { url } = await startHostile(attack);
    const before = process.memoryUsage().rss;
    const error = await rejection(ask(url));
    expect(error).toBeInstanceOf(ClientError);
    expect(error.message.length).toBeLessThan(MB);
    expect(process.memoryUsage().rss - before).toBeLessThan(600 * MB);
  });
});

test.each([
  ['a body without end', AnswerTooLarge, /more than 33554432 bytes \(maxAnswerBytes\)/],
  ['a gzip bomb', AnswerTooLarge, /more than 33554432 bytes/],
  ['a brotli bomb', AnswerTooLarge, /more than 33554432 bytes/],
  ['brackets without end', AnswerTooLarge, /nested more than 1000 deep/],
  ['a body that trickles', TimedOut, /did not end within 3000 ms|took longer than 3000 ms/],
])('%s has a class and words of its own', async (attack, type, words) => {
  const { url } = await startHostile(ATTACKS[attack] as never);
  // A busy machine may take long for what is too large; what takes too long shall not.
  const bounds = type === TimedOut ? BOUNDS : { ...BOUNDS, answerMs: 30_000, silenceMs: 30_000 };
  const error = await rejection(quickClient({ url }, bounds).environments());
  expect(error).toBeInstanceOf(type);
  expect(error.message).toMatch(words);
});

test('a stream whose call is under way is read to the limit and no further, and the call is not repeated', async () => {
  const server = await startForeign({
    'POST /math/call': ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: task_id\ndata: a\n\n');
      for (let count = 0; count < 100; count += 1) response.write(`event: chunk\ndata: ${'x'.repeat(4_000)}\n\n`);
    },
  });
  const session = await quickClient(server, { maxAnswerBytes: 100_000 }).session({ split: 'train', index: 0 });
  const error = await rejection(session.call('tool', {}));
  expect(error).toBeInstanceOf(AnswerTooLarge);
  expect(error).toMatchObject({ code: 'answer_too_large', sid: session.sid, outcome: undefined });
  expect(server.on('/math/call')).toHaveLength(1);
});

test('bounds that would take nothing are refused', () => {
  expect(() => quickClient({ url: 'http://127.0.0.1:1' }, { maxAnswerBytes: 0 })).toThrow(
    'maxAnswerBytes must be more than 0, not 0',
  );
});
