import { describe, expect, test } from 'vitest';
import { expectError } from '../support/errors.ts';
import { type Answer, shareServer, startServer } from '../support/http.ts';
import { logLines } from '../support/log-lines.ts';
import { AUTH, accepted, type Credentials, KEYS, refused, SECRET, withKey, withToken } from './credentials.ts';
import { type Described, describedBy } from './described.ts';
import { type Operation, send, sidFor } from './operations.ts';
import { expectRefused } from './refused.ts';
import { startWatched } from './registered.ts';
import { bank } from './toolkits.ts';

const TEAM = withKey(KEYS.team);
const AGENT = withKey(KEYS.agent);
const RIVAL = withKey(KEYS.rival);

const server = shareServer({ toolkits: [bank], auth: AUTH });

let known: Promise<Described> | undefined;

/** The routes are those of the server's own document, so that a new one is tested without a word here. */
function described(): Promise<Described> {
  known ??= describedBy(server(), TEAM);
  return known;
}

describe('credentials', () => {
  test.each(refused())('%s opens no route but /health', async (_what, headers) => {
    const { operations, contract } = await described();
    const check = async (operation: Operation) => {
      const answer = await send(server(), operation, { sid: 'mine', headers });
      contract.expect(operation, answer);
      if (operation.path === '/health') expect(answer.status).toBe(200);
      else expectRefused(operation, answer);
    };
    await Promise.all(operations.map(check));
  });

  test.each(accepted())('%s opens every route', async (_what, headers) => {
    const check = async (operation: Operation) => {
      const sid = await sidFor(server(), operation, headers);
      const { status, text } = await send(server(), operation, { sid, headers });
      expect(status, `${operation.name}: ${text}`).toBe(200);
    };
    await Promise.all((await described()).operations.map(check));
  });

  test('without one, no route opens at all, not even to redirect or to name its methods', async () => {
    const [{ server: watched }, routes] = await startWatched({ toolkits: [bank], auth: AUTH });
    for (const { method, url } of routes) {
      const path = url.replace(/:\w+/g, 'math');
      const { statusCode } = await watched.app.inject({ method: method as 'GET', url: path });
      // OXP has its own status for calls.
      const isCall = method === 'POST' && /^\/(tools|call|tools\/call)$/.test(url);
      const expected = url === '/health' ? [200, 405] : [isCall ? 400 : 401];
      expect(expected, `${method} ${url}: ${statusCode}`).toContain(statusCode);
    }
  });

  test('none of them gets into a log or an answer', async () => {
    const lines = logLines();
    const logged = await startServer({ toolkits: [bank], auth: AUTH, logger: lines.logger });
    const { operations } = await describedBy(logged, TEAM);
    const all = [...refused(), ...accepted()];
    const answers: Answer[] = [];
    for (const [, headers] of all) {
      const ask = (operation: Operation) => send(logged, operation, { sid: crypto.randomUUID(), headers });
      answers.push(...(await Promise.all(operations.map(ask))));
    }
    await logged.server.close();
    expect(lines.text().match(/"msg":"request"/g)).toHaveLength(answers.length + 1);
    const heard = [lines.text(), ...answers.flatMap(({ text, headers }) => [text, ...headers.values()])].join('\n');
    const given = all
      .flatMap(([, headers]) => Object.values(headers))
      .map((value) => value.replace(/^(Bearer|Basic) /i, ''));
    const secrets = [SECRET, ...Object.values(KEYS), ...given].filter((text) => text !== '');
    expect(secrets.filter((secret) => heard.includes(secret))).toEqual([]);
  });
});

describe('tenants', () => {
  // What makes a session asks nothing of one.
  const isOnSession = ({ needsSession, path }: Operation) => needsSession && path !== '/create';

  /** The answers to a caller on all routes of a session, with the id taken out of them. */
  async function answersOn(sid: string, headers: Credentials): Promise<Record<string, unknown>> {
    const answers: Record<string, unknown> = {};
    for (const operation of (await described()).operations.filter(isOnSession)) {
      const { status, text, headers: sent } = await send(server(), operation, { sid, headers });
      answers[operation.name] = { status, text: text.replaceAll(sid, '<sid>'), type: sent.get('content-type') };
    }
    return answers;
  }

  test.each<[what: string, credentials: Credentials]>([
    ['a key', RIVAL],
    ['a token', withToken({ sub: 'rival' })],
    ['a token whose name is a key', withToken({ sub: KEYS.team })],
    ['a token without a name', withToken({ sub: undefined })],
  ])('%s of another identity finds no session of the team, alive or ended, and harms none', async (_what, rival) => {
    const [alive, ended] = [await createAs(TEAM), await createAs(TEAM)];
    await server().post('/delete', undefined, { sid: ended, headers: TEAM });
    const unknown = await answersOn(crypto.randomUUID(), rival);
    expect(Object.keys(unknown).length).toBeGreaterThanOrEqual(6);
    for (const [name, answer] of Object.entries(unknown)) {
      expect(answer, name).toMatchObject({ status: name === 'POST /delete_session' ? 200 : 404 });
    }
    expect(await answersOn(alive, rival)).toEqual(unknown);
    expect(await answersOn(ended, rival)).toEqual(unknown);
    expect((await server().post('/ping', undefined, { sid: alive, headers: TEAM })).status).toBe(200);
  });

  test('the same id is another session for another identity', async () => {
    const sid = await createAs(TEAM);
    await createAs(RIVAL, { sid });
    const note = async (text: string, headers: Credentials) =>
      (await server().call(sid, 'note', { text }, { headers })).result?.output.blocks[0].text;
    expect(await note('of the team', TEAM)).toBe('of the team');
    expect(await note('of the rival', RIVAL)).toBe('of the rival');
    await server().post('/delete', undefined, { sid, headers: RIVAL });
    expect(await note('again', TEAM)).toBe('of the team,again');
  });

  test('an id that was given to one identity is not confirmed to another', async () => {
    const ask = async (headers: Credentials, body: object = {}) =>
      (await server().post('/create_session', body, { headers })).json.sid;
    const sid = await ask(TEAM);
    expect(await ask(RIVAL, { task_id: sid })).not.toBe(sid);
    expect(await ask(TEAM, { task_id: sid })).toBe(sid);
  });

  test('a bare path does not tell where the session of another identity runs', async () => {
    const sid = await createAs(TEAM, { env_name: 'code_env' });
    const locate = async (headers: Credentials) =>
      (await server().get('/prompt', { sid, headers })).headers.get('location');
    expect(await locate(TEAM)).toBe('/code_env/prompt');
    expect(await locate(RIVAL)).toBe('/math/prompt');
  });

  test('the result of a call is kept for its own caller alone, however an id is written', async () => {
    const call = async (call_id: string, headers: Credentials, a: number) => {
      const request = { tool_id: 'Bank.Add', call_id, input: { a, b: 0 } };
      return (await server().post('/tools/call', { request }, { headers })).json.result?.value;
    };
    expect(await call('one', TEAM, 1)).toBe(1);
    expect(await call('one', RIVAL, 2)).toBe(2);
    for (const id of ['team\none', '\none', 'team one']) expect(await call(id, RIVAL, 3)).toBe(3);
    expect(await call('one', AGENT, 1)).toBe(1);
  });

  test('of two keys at once, the one in X-API-Key counts', async () => {
    const sid = await createAs(TEAM);
    const ping = async (headers: Credentials) => (await server().post('/ping', undefined, { sid, headers })).status;
    expect(await ping({ 'x-api-key': KEYS.team, 'oxp-api-key': KEYS.rival })).toBe(200);
    expect(await ping({ 'x-api-key': KEYS.rival, 'oxp-api-key': KEYS.team })).toBe(404);
  });
});

describe('scopes', () => {
  // What an agent may do, written down once more: what is new in the server is closed to agents until it stands here.
  const FOR_AGENTS = [
    'GET /',
    'GET /health',
    'GET /version',
    'GET /openapi.json',
    'GET /list_environments',
    'GET /math/tools',
    'GET /math/splits',
    'POST /math/num_tasks',
    'GET /math/prompt',
    'GET /math/task_tools',
    'POST /math/call',
    'POST /ping',
    'GET /tools',
    'POST /tools/call',
    'POST /call',
  ];

  test.each<[what: string, credentials: Credentials]>([
    ['key', AGENT],
    ['token', withToken({ scope: 'agent' })],
    ['token with more scopes', withToken({ scope: 'billing agent' })],
    ['token with a list of scopes', withToken({ scope: ['agent'] })],
  ])('the %s of an agent acts in the session of its orchestrator, and does nothing else', async (_what, headers) => {
    const { operations, contract } = await described();
    const allowed = operations.filter(({ name }) => FOR_AGENTS.includes(name));
    expect(allowed.map(({ name }) => name).sort()).toEqual([...FOR_AGENTS].sort());
    const check = async (operation: Operation) => {
      const answer = await send(server(), operation, { sid: await sidFor(server(), operation, TEAM), headers });
      contract.expect(operation, answer);
      if (allowed.includes(operation)) expect(answer.status, `${operation.name}: ${answer.text}`).toBe(200);
      else expectForbidden(answer, "needs the scope 'orchestrator'");
    };
    await Promise.all(operations.map(check));
  });

  test('an agent that was refused has changed nothing', async () => {
    const sid = await createAs(TEAM);
    const free = crypto.randomUUID();
    const statuses = [
      await server().post('/delete', undefined, { sid, headers: AGENT }),
      await server().post('/delete_session', undefined, { sid, headers: AGENT }),
      await server().post('/create', { split: 'train', index: 0 }, { sid: free, headers: AGENT }),
      await server().post('/ping', undefined, { sid, headers: AGENT }),
      await server().post('/ping', undefined, { sid: free, headers: TEAM }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 403, 200, 404]);
  });

  test.each<[what: string, credentials: Credentials]>([
    ['scopes of tools alone', withKey(KEYS.teller)],
    ['no scopes', withKey(KEYS.nobody)],
    ['an empty scope', withToken({ scope: '' })],
    ['a scope that is no text', withToken({ scope: 5 })],
    ['a scope that is null', withToken({ scope: null })],
    ['a scope in other letters', withToken({ scope: 'Orchestrator AGENT agents' })],
    ['scopes separated by commas', withToken({ scope: 'agent,orchestrator' })],
  ])('a caller with %s may do nothing with environments', async (_what, headers) => {
    const { operations } = await described();
    const closed = operations.filter(({ face, isOpen }) => face === 'ors' && !isOpen);
    const answers = await Promise.all(closed.map((operation) => send(server(), operation, { sid: 'mine', headers })));
    for (const answer of answers) expectForbidden(answer, "needs the scope 'orchestrator'");
  });

  test.each<[what: string, credentials: Credentials]>([
    ['key', withKey(KEYS.scraper)],
    ['token', withToken({ sub: 'prometheus', scope: 'metrics' })],
  ])('the %s of a scraper reads the metrics, and does nothing else with environments', async (_what, headers) => {
    const { operations, contract } = await described();
    const closed = operations.filter(({ face, isOpen }) => face === 'ors' && !isOpen);
    expect(closed.map(({ path }) => path)).toContain('/metrics');
    const check = async (operation: Operation) => {
      const answer = await send(server(), operation, { sid: await sidFor(server(), operation, TEAM), headers });
      contract.expect(operation, answer);
      if (operation.path === '/metrics') expect(answer.text).toContain('# TYPE tiltyard_calls_total counter');
      else expectForbidden(answer, "needs the scope 'orchestrator'");
    };
    await Promise.all(closed.map(check));
  });

  const listAndCall = async (headers: Credentials) => {
    const { json } = await server().get('/tools', { headers });
    const call = async (tool_id: string) =>
      (await server().post('/tools/call', { request: { tool_id } }, { headers })).text;
    const names: string[] = json.items.map(({ name }: { name: string }) => name);
    return { names, called: await call('Bank.Pay'), unknown: await call('Bank.Fly') };
  };

  test.each<[who: string, credentials: Credentials]>([
    ['a caller without a list of scopes', TEAM],
    ['a key that has the scope', withKey(KEYS.teller)],
    ['a token that has the scope', withToken({ scope: 'agent billing' })],
  ])('OXP S6: %s sees a tool that needs it, and calls it', async (_who, headers) => {
    const { names, called } = await listAndCall(headers);
    expect(names).toEqual(['Bank_Rate', 'Bank_Add', 'Bank_Pay', 'Bank_Transfer']);
    expect(called).toContain('"value":"paid"');
  });

  test.each<[who: string, credentials: Credentials]>([
    ['an agent', AGENT],
    ['an orchestrator by scope', withToken({ scope: 'orchestrator' })],
    ['a caller with no scopes', withKey(KEYS.nobody)],
  ])('OXP S6: to %s, a tool that needs another scope is not there', async (_who, headers) => {
    const { names, called, unknown } = await listAndCall(headers);
    expect(names).toEqual(['Bank_Rate', 'Bank_Add', 'Bank_Transfer']);
    expect(called.replaceAll('Pay', 'Fly')).toBe(unknown);
  });
});

/** Creates a session as a caller; returns its id. */
async function createAs(
  headers: Credentials,
  { sid = crypto.randomUUID() as string, env_name = 'math' } = {},
): Promise<string> {
  const answer = await server().post('/create', { env_name, split: 'train', index: 0 }, { sid, headers });
  expect(answer.status, answer.text).toBe(200);
  return sid;
}

function expectForbidden(answer: Answer, detail: string): void {
  expectError(answer, 403, detail);
  expect(answer.json.code).toBe('forbidden');
}
