// What logs and metrics cost for each call, in ns of processor time: all that an observer hears of one call. Servers write
// their lines to standard output, as they do everywhere; the figures go to standard error.
// Run: node --import tsx bench/observation.ts >/dev/null
import { createWriteStream } from 'node:fs';
import Fastify, { type FastifyInstance } from 'fastify';
import { serverLogger } from '../src/server/observe/logger.ts';
import { Numbers } from '../src/server/observe/numbers.ts';
import { observe } from '../src/server/observe/observation.ts';
import { type CallFacts, combineObservers, type Observer, unobserved } from '../src/sessions/index.ts';

const CALLS = 200_000;
const ROUNDS = 7;

if (process.stdout.isTTY) {
  process.stderr.write('it writes millions of log lines: add >/dev/null\n');
  process.exit(2);
}

/** An app of somebody's own, in which the protocols are mounted. */
function toApp(level: string): FastifyInstance {
  return Fastify({ logger: { level, stream: createWriteStream('/dev/null') } });
}

/** All that a server of its own has, made as `createServer` makes it. */
function toServerObserver(level: string): Observer {
  const { logger, eventsOf } = serverLogger({ level });
  const app = Fastify({ logger });
  return observe(app, { numbers: new Numbers(), events: eventsOf(app) }).observer;
}

const WAYS: readonly [what: string, observer: Observer][] = [
  ['nothing', unobserved],
  ['numbers', combineObservers([new Numbers()])],
  ['mounted, level warn', observe(toApp('warn')).observer],
  ['mounted, level info', observe(toApp('info')).observer],
  ['a server, level warn', toServerObserver('warn')],
  ['a server, level info', toServerObserver('info')],
];

const call: CallFacts = {
  number: 1,
  id: 'call-0123456789abcdef0123456789abcdef',
  tool: 'add',
  identity: '',
  session: { number: 1, sid: crypto.randomUUID(), identity: '', environment: 'bench', split: 'train', index: 0 },
  traceId: undefined,
};
const ending = { outcome: 'returned', durationMs: 0.123, ran: true, reward: 1, finished: false } as const;

async function nanosecondsPerCall(observer: Observer): Promise<number> {
  let micros = 0;
  for (let count = 0; count < CALLS; count += 1_000) {
    const begun = process.cpuUsage();
    for (let each = 0; each < 1_000; each += 1) {
      const at = Date.now();
      observer.on({ type: 'call_started', at, call, trace: undefined });
      observer.on({ type: 'call_running', at, call });
      observer.on({ type: 'call_ended', at, call, ...ending });
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
for (const [what, nanoseconds] of best)
  process.stderr.write(`${what.padEnd(28)} ${Math.round(nanoseconds)} ns a call\n`);
