import { readFileSync } from 'node:fs';
import type { Outcome } from 'tiltyard';
import { expect, test } from 'vitest';
import type { Answer, ClientEvent, LogEvent, Scored, ServerEvent } from '../../proof/chaos/events.ts';
import { check } from '../../proof/chaos/model.ts';
import type { Chronicle } from '../../proof/chaos/record.ts';
import { CLUSTER_RULES } from '../../proof/cluster/model.ts';
import { DURABLE_RULES } from '../../proof/durable/model.ts';

type Bare<Event> = Event extends unknown ? Omit<Event, 'at' | 'episode' | 'life'> & { at?: number } : never;

const EPISODE = 'replayed-e';

function server(...events: Bare<ServerEvent>[]): ServerEvent[] {
  return events.map(
    (event, index) => ({ at: 100 * index, life: 1, episode: EPISODE, pid: 7, ...event }) as ServerEvent,
  );
}

function client(...events: Bare<ClientEvent>[]): ClientEvent[] {
  return events.map((event, index) => ({ at: 100 * index, episode: EPISODE, ...event }) as ClientEvent);
}

function log(...events: Bare<LogEvent>[]): LogEvent[] {
  return events.map((event) => ({ at: 2_000, life: 1, episode: EPISODE, ...event }) as LogEvent);
}

/** The same events in an episode of another environment. */
function inEpisode(episode: string, chronicle: Chronicle): Chronicle {
  const move = <Event>(events: readonly Event[]) => events.map((event) => ({ ...event, episode }));
  const { server, client, log } = chronicle;
  return { ...chronicle, server: move(server), client: move(client), log: move(log) };
}

const SETUP = { what: 'setup' } as const;
const TEARDOWN = [{ what: 'teardown' }, { what: 'torn down' }] as const;
const counted = (token: string, count: number, sum: number): Scored => ({
  text: `${token} count ${count} sum ${sum} luck 0.5`,
  reward: 2,
  finished: false,
});
const MAILED: Scored = { text: 'mailed', reward: null, finished: false };
const [FIRST, SECOND] = [counted('a', 1, 2), counted('b', 2, 4)];

const run = (token: string, tool = 'add', attempt = 1) => ({ what: 'run', token, tool, attempt }) as const;
const ran = (token: string, scored: Scored, tool = 'add') => ({ what: 'ran', token, tool, scored }) as const;
const sent = (token: string, tool = 'add') =>
  ({ what: 'sent', token, tool, ...(tool === 'mail' ? {} : { adds: 2 }) }) as const;
const told = (token: string, scored: Scored) => answered(token, { kind: 'scored', scored, outcome: 'returned' });
const lost = (token: string, why: string, outcome: Outcome = 'env_error') =>
  answered(token, { kind: 'lost', why, outcome });
const answered = (token: string, answer: Answer) => ({ what: 'answered', token, answer }) as const;
const ended = (reward: number, outcome: Outcome = 'cancelled', why?: string) =>
  ({ what: 'session ended', calls: 2, outcome, reward, ...(why === undefined ? {} : { lost: why }) }) as const;

const CALLS = [sent('a'), told('a', FIRST), sent('b'), told('b', SECOND)] as const;
const DELETED = { what: 'deleted', at: 1_000 } as const;

// Killed when its second call was under way, which ran again elsewhere; the first one, too, so that it could.
const GOOD: Chronicle = {
  server: server(
    SETUP,
    run('a'),
    ran('a', FIRST),
    run('b'),
    { ...SETUP, pid: 8 },
    { ...run('a'), pid: 8 },
    { ...ran('a', FIRST), pid: 8 },
    { ...run('b', 'add', 2), pid: 8 },
    { ...ran('b', SECOND), pid: 8 },
    ...TEARDOWN.map((event) => ({ ...event, pid: 8 })),
  ),
  client: client({ what: 'created' }, ...CALLS, DELETED),
  log: log(ended(4)),
  killed: new Map(),
  killedPids: new Map([[7, 350]]),
};

test('the model of durable episodes finds nothing where there is nothing to find', () => {
  expect(check(GOOD, DURABLE_RULES)).toEqual([]);
});

const QUIET = { killedPids: new Map<number, number>() };
const PLAIN = 'plain-e';
const DRIFTING = 'drifting-e';

const BAD: Record<string, Chronicle> = {
  'a call has one result: the same id gives the same, byte for byte, also after a kill': {
    ...GOOD,
    client: client(
      ...CALLS,
      answered('a', { kind: 'scored', scored: FIRST, digest: '1' }),
      answered('b', { kind: 'scored', scored: SECOND, digest: '2' }),
      answered('b', { kind: 'outcome_unknown', why: '' }),
    ).map((event) => (event.what === 'sent' && event.token === 'b' ? { ...event, tool: 'mail' } : event)),
    server: GOOD.server.filter((event) => !('token' in event) || event.token !== 'b' || event.pid === 8).map(asMail),
  },
  'what a client is told is what a run of the tool returned': {
    ...GOOD,
    client: client(sent('a'), told('a', { ...FIRST, reward: 3 }), sent('b'), told('b', SECOND)),
    log: [],
  },
  'an external tool runs at most once for each id': {
    ...GOOD,
    ...QUIET,
    server: server(
      SETUP,
      run('a', 'mail'),
      ran('a', MAILED, 'mail'),
      run('a', 'mail'),
      ran('a', MAILED, 'mail'),
      ...TEARDOWN,
    ),
    client: client(sent('a', 'mail'), told('a', MAILED)),
    log: [],
  },
  'only of an external call nobody knows whether it ran': {
    ...GOOD,
    client: client(sent('a'), told('a', FIRST), sent('b'), answered('b', { kind: 'outcome_unknown', why: '' })),
    log: [],
  },
  'an idempotent call that was cut off runs again with the next attempt': {
    ...GOOD,
    killedPids: new Map([[7, 150]]),
    server: server(
      SETUP,
      run('a', 'pay'),
      { ...SETUP, pid: 8 },
      { ...run('a', 'pay'), pid: 8 },
      { ...ran('a', FIRST, 'pay'), pid: 8 },
      ...TEARDOWN.map((event) => ({ ...event, pid: 8 })),
    ),
    client: client(sent('a', 'pay'), told('a', FIRST)),
    log: [],
  },
  'totals are right: each call that was told counts once, and nothing else does': {
    ...GOOD,
    server: GOOD.server.map((event) => (event.what === 'ran' && event.token === 'b' ? ran3(event) : event)),
    client: client(sent('a'), told('a', FIRST), sent('b'), told('b', counted('b', 3, 6)), DELETED),
  },
  'nobody is told that there is no such session': {
    ...GOOD,
    client: client(...CALLS, sent('c', 'look'), answered('c', { kind: 'refused', why: '404 session_not_found' })),
  },
  'an episode that is kept is lost only if its calls may have ended two processes': {
    ...GOOD,
    client: client(...CALLS, sent('c'), lost('c', 'its calls have ended two processes')),
    log: log(ended(4, 'env_error', 'killed_twice')),
  },
  'each call of an episode that is kept is answered, and never as if the episode were over': {
    ...GOOD,
    client: client(...CALLS, sent('c'), answered('c', { kind: 'unknown', why: 'it is over', outcome: 'cancelled' })),
  },
  'an episode that keeps nothing is lost with its process, and only then': inEpisode(PLAIN, {
    ...GOOD,
    client: client(...CALLS, sent('c'), lost('c', 'the process that ran it has ended')),
    log: [],
  }),
  'an episode that does not give the same again is lost when it is built again': inEpisode(DRIFTING, {
    ...GOOD,
    server: server(
      SETUP,
      run('e.first', 'drift'),
      ran('e.first', MAILED, 'drift'),
      { ...SETUP, pid: 8 },
      { ...run('e.first', 'drift'), pid: 8 },
      { ...ran('e.first', { ...MAILED, text: 'another' }, 'drift'), pid: 8 },
      { ...run('a'), pid: 8 },
      { ...ran('a', FIRST), pid: 8 },
      ...TEARDOWN.map((event) => ({ ...event, pid: 8 })),
    ),
    client: client(sent('e.first', 'drift'), told('e.first', MAILED), sent('a'), told('a', FIRST), DELETED),
    log: log(ended(2)),
  }),
  'an episode that is lost is an env_error, for its client and in the log, and has no reward of 0': inEpisode(PLAIN, {
    ...GOOD,
    server: server(SETUP, run('a'), ran('a', FIRST)),
    client: client(sent('a'), told('a', FIRST), sent('b'), lost('b', '', 'cancelled')),
    log: log(ended(2, 'env_error', 'worker_lost')),
  }),
  'an episode lives in one process at a time': {
    ...GOOD,
    ...QUIET,
    server: [
      ...GOOD.server.slice(0, 9),
      ...server(...TEARDOWN).map((event) => ({ ...event, at: 850 })),
      ...GOOD.server.slice(9),
    ],
  },
  'a process tears down once what it has set up, unless it is killed before': {
    ...GOOD,
    server: [...GOOD.server, ...server(...TEARDOWN).map((event) => ({ ...event, pid: 8, at: 900 }))],
  },
  'nothing runs in a process before setup there, nor after teardown': {
    ...GOOD,
    ...QUIET,
    server: server(SETUP, run('a'), ran('a', FIRST), ...TEARDOWN, run('b'), ran('b', SECOND)),
    client: client(...CALLS),
  },
  'nothing happens after a deletion was answered': {
    ...GOOD,
    client: client(...CALLS, { ...DELETED, at: 500 }),
    killed: new Map(),
  },
  'an episode has one end in the log, with the sum of what its calls were told': { ...GOOD, log: log(ended(3)) },
  'a call that failed in its tool ran': {
    ...GOOD,
    client: client(...CALLS, sent('c', 'fail'), answered('c', { kind: 'broke' })),
  },
  'nothing runs that no client sent, nor in another session': {
    ...GOOD,
    server: [
      ...GOOD.server.slice(0, 9),
      ...server({ ...run('c', 'look'), at: 850 }).map(elsewhere),
      ...GOOD.server.slice(9),
    ],
  },
  'no client meets a fault': { ...GOOD, client: [...GOOD.client, ...client({ what: 'fault', why: 'it hung' })] },
};

function elsewhere<Event>(event: Event): Event {
  return { ...event, pid: 8 };
}

function asMail(event: ServerEvent): ServerEvent {
  return 'token' in event && event.token === 'b' ? ({ ...event, tool: 'mail' } as ServerEvent) : event;
}

function ran3(event: ServerEvent): ServerEvent {
  return { ...event, scored: counted('b', 3, 6) } as ServerEvent;
}

test.each(Object.entries(BAD))('the model sees when it does not hold that %s', (rule, bad) => {
  const rules = check(bad, DURABLE_RULES).map((violation) => violation.rule);
  expect([...new Set(rules)]).toEqual([rule]);
});

test('every rule of durable episodes is tested, and in the documents', () => {
  expect(Object.keys(BAD)).toEqual(Object.keys(DURABLE_RULES));
  const page = readFileSync(new URL('../../docs/proof.md', import.meta.url), 'utf8');
  expect(Object.keys(DURABLE_RULES).filter((rule) => !page.includes(`- ${rule}`))).toEqual([]);
});

test('bytes that differ are seen where the text does not', () => {
  const twice = (digest: string) => answered('a', { kind: 'scored', scored: FIRST, digest });
  const violations = (...digests: string[]) =>
    check({ ...GOOD, client: client(...CALLS, ...digests.map(twice), DELETED) }, DURABLE_RULES);
  expect(violations('1', '1')).toEqual([]);
});

test('of a call whose episode was lost nobody can say whether it counted', () => {
  const events = client(sent('a'), sent('b'), told('b', SECOND), lost('a', 'its calls have ended two processes'));
  const killedPids = new Map([
    [7, 0],
    [9, 200],
  ]);
  const rest = { server: GOOD.server, log: log(ended(2, 'env_error', 'killed_twice')), killed: new Map() };
  expect(check({ ...rest, client: events, killedPids }, DURABLE_RULES)).toEqual([]);
});

test('in a cluster, the logs of all nodes tell one end, with the sum; one that is lost with its node may have another', () => {
  const broken = (...lines: ReturnType<typeof ended>[]) =>
    check({ ...GOOD, log: log(...lines) }, CLUSTER_RULES).map(({ rule }) => rule);
  expect(broken(ended(4))).toEqual([]);
  expect(broken(ended(4), ended(4, 'env_error', 'server_lost'))).toEqual([]);
  const rule = 'an episode ends once in all logs, with the sum of what its calls were told';
  expect(broken(ended(4), ended(4))).toEqual([rule]);
  expect(broken(ended(3))).toEqual([rule]);
  const gone = ended(4, 'env_error', 'server_lost');
  expect(broken(gone, gone)).toEqual([rule]);
  expect(broken(gone, ended(4))).toEqual([rule]);
});

test('one that was lost before its client heard of it may end once more, and no other', () => {
  const broken = (rules: typeof DURABLE_RULES, createdAt: number) => {
    const created = GOOD.client.map((event) => (event.what === 'created' ? { ...event, at: createdAt } : event));
    const chronicle = { ...GOOD, client: created, log: log(ended(4, 'env_error', 'server_lost'), ended(4)) };
    return check(chronicle, rules).filter(({ why }) => why.startsWith('it ended as')).length;
  };
  for (const rules of [DURABLE_RULES, CLUSTER_RULES]) {
    expect(broken(rules, Number.MAX_SAFE_INTEGER)).toBe(0);
    expect(broken(rules, 0)).toBe(1);
  }
});

test('in a cluster, a node that stood still may run an earlier attempt late, and no attempt runs twice', () => {
  const broken = (...attempts: number[]) => {
    const runs = attempts.map((attempt) => run('b', 'pay', attempt));
    const chronicle = { ...GOOD, server: server(SETUP, ...runs), client: client(sent('b', 'pay')) };
    return check(chronicle, CLUSTER_RULES).flatMap(({ why }) => (why.includes('as attempt') ? [why] : []));
  };
  expect(broken(1, 2)).toEqual([]);
  expect(broken(2, 1)).toEqual([]);
  expect(broken(1, 1)).toEqual(['b ran as attempt 1, 1']);
});

test('what keeps nothing may begin again if its server died before its client heard of it', () => {
  const begunTwice = (createdAt: number, life = 1) => {
    const again = server(SETUP, SETUP, run('a'), ran('a', FIRST)).slice(1);
    const events = [...server(SETUP), ...again.map((event) => ({ ...event, life, pid: 8 }))];
    const created = client({ what: 'created', at: createdAt }, sent('a'), told('a', FIRST));
    const chronicle = { ...GOOD, server: events, client: created };
    return check(inEpisode(PLAIN, chronicle), DURABLE_RULES).map(({ why }) => why);
  };
  expect(begunTwice(150)).not.toContain('it was set up 2 times');
  expect(begunTwice(50)).toContain('it was set up 2 times');
  // The next server answers, and begins a moment later.
  expect(begunTwice(99, 2)).not.toContain('it was set up 2 times');
  expect(begunTwice(99)).toContain('it was set up 2 times');
  expect(begunTwice(20, 2)).toContain('it was set up 2 times');
});

test('in a cluster, a node that stood still may set up late what keeps nothing, if nothing is called there', () => {
  const rule = 'an episode that keeps nothing is lost with its process, and only then';
  const broken = (...there: Parameters<typeof server>) => {
    const late = server(...there).map((event) => ({ ...event, pid: 8 }));
    const chronicle = { ...GOOD, server: [...server(SETUP, run('a'), ran('a', FIRST)), ...late] };
    return check(inEpisode(PLAIN, chronicle), CLUSTER_RULES).flatMap((each) => (each.rule === rule ? [each.why] : []));
  };
  expect(broken(SETUP, ...TEARDOWN)).toEqual([]);
  expect(broken(SETUP, run('b'), ran('b', SECOND))).toContain('it was set up 2 times');
});
