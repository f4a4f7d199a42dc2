import { METHODS } from 'node:http';
import fc from 'fast-check';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { liveBytes, MEGABYTE } from '../../../test/support/memory.ts';
import { CALL_OUTCOMES } from '../../core/index.ts';
import { STUDIO_AGENT } from '../../protocol/index.ts';
import type { CallEnded } from '../../sessions/index.ts';
import { type EndedRequest, type EventLog, type EventLogger, eventLog } from './event-log.ts';
import { fastLog } from './fast-log.ts';

function bothWrite(say: (log: EventLog) => void, level = 'info') {
  const lines = { ours: [] as string[], pinos: [] as string[] };
  const stream = { write: (line: string) => void lines.pinos.push(line) };
  // Fastify brings pino along.
  const { log: logger } = Fastify({ logger: { level, stream } });
  const fast = fastLog(logger as EventLogger, {
    write: (line) => void lines.ours.push(typeof line === 'string' ? line : line()),
  });
  say(fast);
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

const time = fc.double({ min: 1, max: 1e13, noNaN: true });
const reward = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }));

test('the line of a request is what pino writes, whatever is in it', () => {
  // Node takes no others.
  const method = fc.constantFrom(...METHODS);
  const fields = {
    method,
    url: text,
    sid: text,
    identity,
    durationMs: ms,
    agent: fc.constantFrom(STUDIO_AGENT, 'python', undefined),
    isTold: fc.boolean(),
  };
  const answered = fc.record({ status: fc.constantFrom(200, 308), ...fields }, { requiredKeys: ['status'] });
  const reasons = { remoteAddress: text, code: text, parserError: text };
  const refused = fc.record({ status: fc.constant(404), ...fields, ...reasons }, { requiredKeys: ['status'] });
  const request: fc.Arbitrary<EndedRequest> = fc.oneof(answered, refused);
  fc.assert(
    fc.property(request, fc.constantFrom('debug', 'info'), (ended, level) => {
      const { ours, pinos } = bothWrite((log) => log.requestEnded(ended), level);
      // Of some, it is pino itself who writes the line.
      expect(ours.length === 0 ? pinos.slice(1) : ours).toEqual(pinos.slice(0, 1));
    }),
    { numRuns: 500 },
  );
});

test.each(['debug', 'info', 'warn'])('at level %s it says whether it writes what is told elsewhere', (level) => {
  const told = { method: 'POST', url: '/counter/call', status: 200, durationMs: 1, isTold: true };
  const { pinos } = bothWrite((log) => log.requestEnded(told), level);
  const { log: logger } = Fastify({ logger: { level, stream: { write() {} } } });
  expect(fastLog(logger as EventLogger, { write() {} }).writesTold()).toBe(pinos.length > 0);
});

test('the line of a call is what pino writes, whatever is in it', () => {
  const ended = { type: fc.constant('call_ended' as const), at: time };
  const facts = { number: fc.nat(), id: text, tool: text, identity };
  const how = { outcome: fc.constantFrom(...CALL_OUTCOMES), durationMs: ms, ran: fc.boolean() };
  const nothing = fc.constant(undefined);
  const where = { number: fc.nat(), sid: text, identity, environment: text };
  const session = fc.record({ ...where, split: fc.constant('train'), index: fc.nat() });
  const ofSession = { call: fc.record({ ...facts, session, traceId: nothing }), reward, finished: fc.boolean() };
  // A tool of a toolkit is no step of an episode: it pays nothing.
  const traceId = fc.option(text, { nil: undefined });
  const ofToolkit = {
    call: fc.record({ ...facts, session: nothing, traceId }),
    reward: fc.constant(null),
    finished: fc.constant(false),
  };
  const call: fc.Arbitrary<CallEnded> = fc.oneof(
    fc.record({ ...ended, ...how, ...ofSession }),
    fc.record({ ...ended, ...how, ...ofToolkit }),
  );
  fc.assert(
    fc.property(call, (event) => {
      const { ours, pinos } = bothWrite((log) => log.on(event));
      expect(ours).toEqual(pinos);
    }),
    { numRuns: 500 },
  );
});

test('the line of a session is pino’s own, and other events have none', () => {
  const session = { number: 1, sid: 's', identity: 'anna', environment: 'e', split: 'train', index: 3 };
  const facts = { session, at: 0 };
  const end = { outcome: 'finished', reason: 'deleted', calls: 2, durationMs: 1.5, reward: 0.5 } as const;
  const { ours, pinos } = bothWrite((log) => {
    log.on({ type: 'session_started', ...facts, trace: undefined });
    log.on({ type: 'setup_ended', ...facts, result: 'ready', durationMs: 1 });
    log.on({ type: 'call_running', at: 0, call: ENDED.call });
    log.on({ type: 'session_ended', ...facts, ...end });
  });
  expect(ours).toEqual([]);
  // One from each log.
  expect(pinos).toHaveLength(2);
  const line = {
    sid: 's',
    identity: 'anna',
    environment: 'e',
    split: 'train',
    index: 3,
    reward: 0.5,
    calls: 2,
    ms: 1.5,
  };
  for (const each of pinos) expect(JSON.parse(each)).toMatchObject({ ...line, msg: 'session ended' });
});

const ENDED: CallEnded = {
  type: 'call_ended',
  at: 0,
  call: { number: 1, id: 'a', tool: 'b', identity: '', session: undefined, traceId: undefined },
  outcome: 'returned',
  durationMs: 1,
  ran: true,
  reward: null,
  finished: false,
};

test('a line says when it happened, also if it is made later', () => {
  const made: (() => string)[] = [];
  const { log: logger } = Fastify();
  const fast = fastLog(logger, { write: (line) => void made.push(typeof line === 'string' ? () => line : line) });
  const before = Date.now();
  fast.on({ ...ENDED, at: before + 0.9 });
  fast.requestEnded({ method: 'GET', url: '/', sid: undefined, status: 200, durationMs: 1 });
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
  const fast = fastLog(logger, { write() {} });
  const before = await liveBytes();
  for (let number = 0; number < 20_000; number += 1) {
    const identity = `${number}`.padEnd(1_000, '-');
    fast.requestEnded({ method: 'GET', url: '/', identity, status: 200, durationMs: 1 });
  }
  expect((await liveBytes()) - before).toBeLessThan(8 * MEGABYTE);
  // Not before: what it remembers must still be there when it is measured.
  fast.requestEnded({ method: 'GET', url: '/', status: 200, durationMs: 1 });
});
