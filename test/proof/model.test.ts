import { readFileSync } from 'node:fs';
import type { Outcome } from 'tiltyard';
import { expect, test } from 'vitest';
import type { Answer, ClientEvent, LogEvent, Scored, ServerEvent } from '../../proof/chaos/events.ts';
import { check, historyOf, RULES } from '../../proof/chaos/model.ts';
import type { Chronicle } from '../../proof/chaos/record.ts';

const SCORED: Scored = { text: 'well done', reward: 0.5, finished: false };

type Bare<Event> = Event extends unknown
  ? Omit<Event, 'at' | 'episode' | 'life'> & { at?: number; life?: number }
  : never;

function server(...events: Bare<ServerEvent>[]): ServerEvent[] {
  return events.map((event, index) => ({ at: index, life: 1, episode: 'e', ...event }) as ServerEvent);
}

function client(...events: Bare<ClientEvent>[]): ClientEvent[] {
  return events.map((event, index) => ({ at: index, episode: 'e', ...event }) as ClientEvent);
}

function log(...events: Bare<LogEvent>[]): LogEvent[] {
  return events.map((event, index) => ({ at: index + 2, life: 1, episode: 'e', ...event }) as LogEvent);
}

const SETUP = { what: 'setup' } as const;
const TEARDOWN = [{ what: 'teardown' }, { what: 'torn down' }] as const;
const run = (token: string, tool = 'quick') => ({ what: 'run', token, tool }) as const;
const ran = (token: string, scored: Scored = SCORED, tool = 'quick') => ({ what: 'ran', token, tool, scored }) as const;
const sent = (token: string, batch?: string) =>
  ({ what: 'sent', token, tool: 'quick', ...(batch === undefined ? {} : { batch }) }) as const;
const answered = (token: string, scored: Scored = SCORED) =>
  ({ what: 'answered', token, answer: { kind: 'scored', scored, outcome: 'returned' } }) as const;
const told = (token: string, outcome: Outcome) =>
  ({ what: 'answered', token, answer: { kind: 'unknown', why: '', outcome } satisfies Answer }) as const;
const ended = (token: string, outcome: Outcome = 'returned') =>
  ({ what: 'call', token, tool: 'quick', outcome }) as const;
const sessionEnded = (outcome: Outcome = 'cancelled') => ({ what: 'session ended', calls: 2, outcome }) as const;

const GOOD = {
  server: server(SETUP, run('a'), ran('a'), run('b'), ran('b'), ...TEARDOWN),
  client: client({ what: 'created' }, sent('a'), answered('a'), sent('b'), answered('b'), { what: 'deleted', at: 9 }),
  log: log(ended('a'), ended('b'), sessionEnded()),
  killed: new Map<number, number>(),
};

test('the model finds nothing where there is nothing to find', () => {
  expect(check(GOOD)).toEqual([]);
});

const BAD: Record<keyof typeof RULES, Partial<Chronicle>> = {
  'an id that a client chose runs at most once': {
    server: server(SETUP, run('a'), ran('a'), run('b'), ran('b'), run('a'), ran('a'), ...TEARDOWN),
  },
  'a call that returned ran, and its result is what the tool returned': {
    client: client({ what: 'created' }, sent('a'), answered('a', { ...SCORED, reward: 0.25 }), sent('b')),
  },
  'a call that failed in its tool ran': {
    client: client(sent('a'), sent('b'), { what: 'answered', token: 'c', answer: { kind: 'broke' } }),
  },
  'a refused call did not run': {
    client: client(sent('a'), sent('b'), { what: 'answered', token: 'b', answer: { kind: 'refused', why: '410' } }),
  },
  'nothing runs that no client sent, nor in another session': { client: client(sent('a')) },
  'calls of one connection run in the order they were sent': { client: client(sent('b', '1'), sent('a', '1')) },
  'a tool of an episode runs one call at a time': {
    server: server(SETUP, run('a'), run('b'), ran('a'), ran('b'), ...TEARDOWN),
  },
  'nothing runs after a finished step': {
    server: server(SETUP, run('a'), ran('a', { ...SCORED, finished: true }), run('b'), ran('b'), ...TEARDOWN),
    client: client(sent('a'), sent('b')),
    log: log(ended('a'), ended('b'), sessionEnded('finished')),
  },
  'nothing runs after teardown, nor before setup': {
    server: server(SETUP, run('a'), ran('a'), ...TEARDOWN, run('b'), ran('b')),
  },
  'every setup has exactly one teardown, unless the server is killed before': {
    server: server(SETUP, run('a'), ran('a'), run('b'), ran('b'), ...TEARDOWN, ...TEARDOWN),
  },
  'a created episode was set up, and one that was refused was not': {
    client: client({ what: 'not created' }, sent('a'), sent('b')),
  },
  'a deletion is answered after teardown': {
    client: client(sent('a'), sent('b'), { what: 'deleted', at: -1_000 }),
  },
  'no client meets a fault': { client: client(sent('a'), sent('b'), { what: 'fault', why: 'it hung' }) },
  'a call that ran has exactly one line in the log, unless the server is killed before': {
    client: client(sent('a'), sent('b')),
    log: log(ended('a'), sessionEnded()),
  },
  'a call that was sent once has at most one line in the log': {
    client: client(sent('a'), sent('b'), sent('c')),
    log: log(ended('a'), ended('b'), ended('c', 'tool_error'), ended('c', 'cancelled'), sessionEnded()),
  },
  'a line in the log is of a call that ran, or that a client sent': {
    log: log(ended('a'), ended('b'), ended('c', 'tool_error'), sessionEnded()),
  },
  'a call is returned in the log only if its tool returned, and an error only if it did not': {
    server: server(SETUP, run('a'), { what: 'ran', token: 'a', tool: 'quick' }, run('b'), ran('b'), ...TEARDOWN),
    client: client(sent('a'), sent('b')),
  },
  'a client is told the outcome that is in the log, or none': {
    client: client(sent('a'), told('a', 'cancelled'), sent('b')),
  },
  'a session that was set up has exactly one line in the log, unless the server is killed before': {
    log: log(ended('a'), ended('b'), sessionEnded(), sessionEnded('expired')),
  },
  'an episode is finished in the log if a step of it says so, and only then': {
    log: log(ended('a'), ended('b'), sessionEnded('finished')),
  },
};

test.each(Object.entries(BAD))('the model sees when it does not hold that %s', (rule, bad) => {
  const violations = check({ ...GOOD, ...bad });
  expect(violations.map((violation) => violation.rule)).toEqual([rule]);
  expect(violations[0]?.episode).toBe('e');
});

test('every rule of the model is tested, and in the documents', () => {
  expect(Object.keys(BAD)).toEqual(Object.keys(RULES));
  const page = readFileSync(new URL('../../docs/proof.md', import.meta.url), 'utf8');
  expect(Object.keys(RULES).filter((rule) => !page.includes(`- ${rule}`))).toEqual([]);
});

test('an episode may be set up again once it has been torn down', () => {
  const violations = (lines: number, ...events: Bare<ServerEvent>[]) =>
    check({
      ...GOOD,
      server: server(...events),
      client: [],
      log: log(...Array.from({ length: lines }, () => sessionEnded())),
    });
  expect(violations(2, SETUP, ...TEARDOWN, SETUP, ...TEARDOWN)).toEqual([]);
  expect(violations(1, SETUP, ...TEARDOWN, SETUP, ...TEARDOWN)).toHaveLength(1);
  expect(violations(2, SETUP, SETUP, ...TEARDOWN, ...TEARDOWN)).toHaveLength(1);
  expect(violations(1, SETUP)).toHaveLength(1);
});

test('a server that is killed leaves episodes and calls without an end, and the next one is another', () => {
  const killed = new Map([[1, 2]]);
  const next = (...events: Bare<ServerEvent>[]) => events.map((event) => ({ ...event, life: 2 }));
  const events = [SETUP, run('a'), ...next(SETUP, run('b'), ran('b'), ...TEARDOWN)];
  const lines = log({ ...ended('b'), life: 2 }, { ...sessionEnded(), life: 2 });
  const chronicle = { server: server(...events), client: client(sent('a'), sent('b')), log: lines };
  expect(check({ ...chronicle, killed })).toEqual([]);
  // The teardown, the line of the call and the line of the session.
  expect(check({ ...chronicle, killed: new Map() })).toHaveLength(3);
  expect(check({ ...chronicle, server: server(SETUP, SETUP), log: [], killed })).toHaveLength(1);
});

test('a server that is killed loses the last lines of its log, and no others', () => {
  const rulesBroken = (killedAt: number, lines: LogEvent[]) =>
    check({ ...GOOD, log: lines, killed: new Map([[1, killedAt]]) }).map(({ why }) => why);
  expect(rulesBroken(100, [])).toEqual([]);
  expect(rulesBroken(100, log(ended('a')))).toEqual([]);
  expect(rulesBroken(5_000, [])).toEqual([
    'a ran quick in life 1 and has 0 lines: nothing',
    'b ran quick in life 1 and has 0 lines: nothing',
    'a: the client was told returned, the log says nothing',
    'b: the client was told returned, the log says nothing',
    '1 sessions and 0 lines in life 1: nothing',
  ]);
  expect(rulesBroken(100, log(ended('a'), ended('a'), ended('b'), sessionEnded()))).toHaveLength(1);
});

test('a session that is over takes no call, so that there may be an outcome without a line', () => {
  const late = (...events: Bare<ClientEvent>[]) => check({ ...GOOD, client: client(sent('a'), sent('b'), ...events) });
  expect(late(sent('c'), told('c', 'cancelled'), sent('d'), told('d', 'expired'))).toEqual([]);
  expect(late(sent('c'), told('c', 'env_error'))).toHaveLength(1);
});

test('clients that repeat by themselves may be refused several times, each with a line', () => {
  const violations = (episode: string) =>
    check({
      server: [],
      client: client(sent('a')).map((event) => ({ ...event, episode })),
      log: log(ended('a', 'tool_error'), ended('a', 'tool_error')).map((event) => ({ ...event, episode })),
      killed: new Map(),
    });
  expect(violations('oxp-1')).toEqual([]);
  expect(violations('client-1')).toEqual([]);
  expect(violations('raw-1')).toHaveLength(1);
});

test('over OXP an id that was sent twice by hand may run again in another life of the server, and only there', () => {
  const episode = 'oxp-1';
  const events = (lives: readonly number[]) =>
    lives
      .flatMap((life) => server({ ...run('a'), life }, { ...ran('a'), life }))
      .map((event) => ({ ...event, episode }));
  const lines = (lives: readonly number[]) =>
    lives.flatMap((life) => log({ ...ended('a'), life }).map((event) => ({ ...event, episode })));
  const senders = client(sent('a'), sent('a')).map((event) => ({ ...event, episode }));
  expect(check({ ...GOOD, server: events([1, 2]), client: senders, log: lines([1, 2]) })).toEqual([]);
  expect(check({ ...GOOD, server: events([1, 2]), client: senders, log: lines([1]) })).toHaveLength(1);
  expect(check({ ...GOOD, server: events([1, 1]), client: senders, log: lines([1]) })).toHaveLength(1);
  expect(check({ ...GOOD, server: events([1, 2]), client: senders.slice(1), log: lines([1, 2]) })).toHaveLength(1);
});

test('the history of an episode tells both sides and the log in time', () => {
  expect(historyOf(GOOD, 'e').split('\n').slice(0, 7)).toEqual([
    '0 ms  server  setup  {"life":1}',
    '0 ms  client  created  {}',
    '1 ms  server  run  {"life":1,"token":"a","tool":"quick"}',
    '1 ms  client  sent  {"token":"a","tool":"quick"}',
    `2 ms  server  ran  {"life":1,"token":"a","tool":"quick","scored":${JSON.stringify(SCORED)}}`,
    `2 ms  client  answered  {"token":"a","answer":${JSON.stringify(answered('a').answer)}}`,
    '2 ms  log     call  {"life":1,"token":"a","tool":"quick","outcome":"returned"}',
  ]);
});
