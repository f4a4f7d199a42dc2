import fc from 'fast-check';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { liveBytes, MEGABYTE } from '../../../test/support/memory.ts';
import type { ObservedCall, ObservedSession } from '../../sessions/index.ts';
import { type EventLog, type EventLogger, eventLog } from './event-log.ts';
import { quickLines } from './fast-log.ts';

function bothWrite(say: (log: EventLog) => void, level = 'info') {
  const lines = { ours: [] as string[], pinos: [] as string[] };
  const stream = { write: (line: string) => void lines.pinos.push(line) };
  // Fastify brings pino along.
  const { log: logger } = Fastify({ logger: { level, stream } });
  const quick = quickLines(logger as EventLogger, {
    write: (line) => void lines.ours.push(typeof line === 'string' ? line : line()),
  });
  say(quick);
  say(eventLog(logger));
  const withoutTime = (all: string[]) => all.map((line) => line.replace(/"time":\d+/, '"time":0'));
  return { ours: withoutTime(lines.ours), pinos: withoutTime(lines.pinos) };
}

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.uuid());
// As clocks give them, and also such that rounding carries.
const ms = fc.oneof(
  fc.double({ min: 0, max: 1e9, noNaN: true }),
  fc.constantFrom(0, 0.0004, 0.9996, 1, 1.25, 999.9999),
);

// Most have none.
const identity = fc.oneof(text, fc.constant(''));

test('the line of a request is what pino writes, whatever is in it', () => {
  const status = fc.constantFrom(200, 308, 404);
  const refused = { remoteAddress: text, code: text, parserError: text };
  const fields = { method: text, url: text, sid: text, identity, ...refused, durationMs: ms };
  const request = fc.record({ status, ...fields }, { requiredKeys: ['status'] });
  fc.assert(
    fc.property(request, (ended) => {
      const { ours, pinos } = bothWrite((log) => log.requestEnded(ended));
      // Of some, it is pino itself who writes the line.
      expect(ours.length === 0 ? pinos.slice(1) : ours).toEqual(pinos.slice(0, 1));
    }),
    { numRuns: 500 },
  );
});

test('the line of a call is what pino writes, whatever is in it', () => {
  const known = { startedAt: fc.constant(0), callCount: fc.nat() };
  const session: fc.Arbitrary<ObservedSession> = fc.record({ sid: text, identity, environmentName: text, ...known });
  const call: fc.Arbitrary<ObservedCall> = fc.record({
    callId: text,
    identity,
    tool: text,
    startedAt: fc.constant(0),
    settledAt: ms,
    hasRun: fc.constant(true),
  });
  fc.assert(
    fc.property(call, fc.option(session, { nil: undefined }), (ended, within) => {
      const { ours, pinos } = bothWrite((log) => log.callEnded(ended, 'scored', within));
      expect(ours).toEqual(pinos);
    }),
    { numRuns: 500 },
  );
});

test('a line says when it happened, also if it is made later', () => {
  const made: (() => string)[] = [];
  const { log: logger } = Fastify();
  const quick = quickLines(logger, { write: (line) => void made.push(typeof line === 'string' ? () => line : line) });
  const before = Date.now();
  quick.callEnded({ callId: 'a', tool: 'b', startedAt: 0, settledAt: 1, hasRun: true }, 'scored', undefined);
  quick.requestEnded({ method: 'GET', url: '/', sid: undefined, status: 200, durationMs: 1 });
  const after = Date.now();
  for (const line of made) {
    const { time } = JSON.parse(line());
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(after);
  }
});

test('nothing is written above level info', () => {
  const say = (log: EventLog) => log.requestEnded({ method: 'GET', url: '/', sid: 'x', status: 200, durationMs: 1 });
  expect(bothWrite(say, 'warn')).toEqual({ ours: [], pinos: [] });
});

test('identities, which tokens name, are not remembered without bound', async () => {
  const { log: logger } = Fastify();
  const quick = quickLines(logger, { write() {} });
  const before = await liveBytes();
  for (let number = 0; number < 20_000; number += 1) {
    const identity = `${number}`.padEnd(1_000, '-');
    quick.requestEnded({ method: 'GET', url: '/', identity, status: 200, durationMs: 1 });
  }
  expect((await liveBytes()) - before).toBeLessThan(8 * MEGABYTE);
  // Not before: what it remembers must still be there when it is measured.
  quick.requestEnded({ method: 'GET', url: '/', status: 200, durationMs: 1 });
});
