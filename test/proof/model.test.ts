import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ClientEvent, Scored, ServerEvent } from '../../proof/chaos/events.ts';
import { check, historyOf, RULES } from '../../proof/chaos/model.ts';

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

const SETUP = { what: 'setup' } as const;
const TEARDOWN = [{ what: 'teardown' }, { what: 'torn down' }] as const;
const run = (token: string, tool = 'quick') => ({ what: 'run', token, tool }) as const;
const ran = (token: string, scored: Scored = SCORED, tool = 'quick') => ({ what: 'ran', token, tool, scored }) as const;
const sent = (token: string, batch?: string) =>
  ({ what: 'sent', token, tool: 'quick', ...(batch === undefined ? {} : { batch }) }) as const;
const answered = (token: string, scored: Scored = SCORED) =>
  ({ what: 'answered', token, answer: { kind: 'scored', scored } }) as const;

const GOOD = {
  server: server(SETUP, run('a'), ran('a'), run('b'), ran('b'), ...TEARDOWN),
  client: client({ what: 'created' }, sent('a'), answered('a'), sent('b'), answered('b'), { what: 'deleted', at: 9 }),
  killed: new Set<number>(),
};

test('the model finds nothing where there is nothing to find', () => {
  expect(check(GOOD)).toEqual([]);
});

const BAD: Record<keyof typeof RULES, { server?: ServerEvent[]; client?: ClientEvent[] }> = {
  'an id that a client chose runs at most once': {
    server: server(SETUP, run('a'), ran('a'), run('b'), ran('b'), run('a'), ran('a'), ...TEARDOWN),
  },
  'a scored call ran, and its result is what the tool returned': {
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
  const violations = (...events: Bare<ServerEvent>[]) => check({ ...GOOD, server: server(...events), client: [] });
  expect(violations(SETUP, ...TEARDOWN, SETUP, ...TEARDOWN)).toEqual([]);
  expect(violations(SETUP, SETUP, ...TEARDOWN, ...TEARDOWN)).toHaveLength(1);
  expect(violations(SETUP)).toHaveLength(1);
});

test('a server that is killed leaves episodes and calls without an end, and the next one is another', () => {
  const killed = new Set([1]);
  const next = (...events: Bare<ServerEvent>[]) => events.map((event) => ({ ...event, life: 2 }));
  const events = [SETUP, run('a'), ...next(SETUP, run('b'), ran('b'), ...TEARDOWN)];
  const chronicle = { server: server(...events), client: client(sent('a'), sent('b')) };
  expect(check({ ...chronicle, killed })).toEqual([]);
  expect(check({ ...chronicle, killed: new Set() })).toHaveLength(1);
  expect(check({ ...chronicle, server: server(SETUP, SETUP), killed })).toHaveLength(1);
});

test('over OXP an id may run again in another life of the server, and only there', () => {
  const episode = 'oxp-1';
  const events = (lives: readonly number[]) =>
    lives
      .flatMap((life) => server({ ...run('a'), life }, { ...ran('a'), life }))
      .map((event) => ({ ...event, episode }));
  const sender = client(sent('a')).map((event) => ({ ...event, episode }));
  expect(check({ ...GOOD, server: events([1, 2]), client: sender })).toEqual([]);
  expect(check({ ...GOOD, server: events([1, 1]), client: sender })).toHaveLength(1);
});

test('the history of an episode tells both sides in time', () => {
  expect(historyOf(GOOD, 'e').split('\n').slice(0, 3)).toEqual([
    '0 ms  server  setup  {"life":1}',
    '0 ms  client  created  {}',
    '1 ms  server  run  {"life":1,"token":"a","tool":"quick"}',
  ]);
});
