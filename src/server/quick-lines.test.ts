import fc from 'fast-check';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import type { ObservedCall, ObservedSession } from '../sessions/index.ts';
import { type EventLog, type EventLogger, eventLog } from './event-log.ts';
import { quickLines } from './quick-lines.ts';

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

test('the line of a request is what pino writes, whatever is in it', () => {
  fc.assert(
    fc.property(text, text, fc.option(text, { nil: undefined }), ms, (method, url, sid, durationMs) => {
      const { ours, pinos } = bothWrite((log) => log.requestEnded({ method, url, sid, status: 200, durationMs }));
      expect(ours).toEqual(pinos);
    }),
    { numRuns: 500 },
  );
});

test('the line of a call is what pino writes, whatever is in it', () => {
  const session = fc.record({ sid: text, environmentName: text, startedAt: fc.constant(0), callCount: fc.nat() });
  fc.assert(
    fc.property(text, text, ms, fc.option(session, { nil: undefined }), (callId, tool, settledAt, within) => {
      const call: ObservedCall = { callId, tool, startedAt: 0, settledAt, hasRun: true };
      const { ours, pinos } = bothWrite((log) => log.callEnded(call, 'scored', within as ObservedSession | undefined));
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
