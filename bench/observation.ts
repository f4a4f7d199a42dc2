// What logs and metrics cost for each call, in ns of processor time: all that an observer hears of one call.
// Run: node --import tsx bench/observation.ts
import { createWriteStream } from 'node:fs';
import Fastify from 'fastify';
import { eventLog } from '../src/server/event-log.ts';
import { Metrics } from '../src/server/metrics.ts';
import { observe } from '../src/server/observation.ts';
import { combine } from '../src/server/observers.ts';
import { Call, type ObservedSession, type Observer, unobserved } from '../src/sessions/index.ts';

const CALLS = 200_000;
const ROUNDS = 7;

const toApp = (level: string) => Fastify({ logger: { level, stream: createWriteStream('/dev/null') } });

const WAYS: readonly [what: string, observer: Observer][] = [
  ['nothing', unobserved],
  ['metrics', combine([new Metrics()])],
  ['log, level warn', combine([eventLog(toApp('warn').log)])],
  ['log, level info', combine([eventLog(toApp('info').log)])],
  ['a server, level warn', observe(toApp('warn'), { metrics: new Metrics() }).observer],
  ['a server, level info', observe(toApp('info'), { metrics: new Metrics() }).observer],
];

const session: ObservedSession = {
  sid: crypto.randomUUID(),
  environmentName: 'bench',
  startedAt: performance.now(),
  callCount: 0,
};
const call = new Call('call-0123456789abcdef0123456789abcdef', 'add');
call.hasRun = true;
call.settledAt = call.startedAt + 0.123;

async function nanosecondsPerCall(observer: Observer): Promise<number> {
  let micros = 0;
  for (let count = 0; count < CALLS; count += 1_000) {
    const begun = process.cpuUsage();
    for (let each = 0; each < 1_000; each += 1) {
      observer.callStarted(call, session, undefined);
      observer.callRunning(call);
      observer.callEnded(call, 'scored', session);
    }
    const { user, system } = process.cpuUsage(begun);
    micros += user + system;
    // Lets the log be written; that is not counted.
    await new Promise(setImmediate);
  }
  return (micros * 1_000) / CALLS;
}

const best = new Map<string, number>();
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [what, observer] of WAYS) {
    best.set(what, Math.min(best.get(what) ?? Number.POSITIVE_INFINITY, await nanosecondsPerCall(observer)));
  }
}
for (const [what, nanoseconds] of best) console.log(`${what.padEnd(22)} ${Math.round(nanoseconds)} ns a call`);
