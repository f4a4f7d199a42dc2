import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { openStudio } from './studio-client.ts';

interface Route {
  readonly method: string;
  readonly path: string;
}

const routes: Route[] = [{ method: 'GET', path: '/api/stream?topic=targets' }];

// From the contract itself, so that a route that is added later is tried as well.
beforeAll(async () => {
  const contract = await readFile(new URL('../../src/studio/api/routes.ts', import.meta.url), 'utf8');
  for (const [, method = '', path = ''] of contract.matchAll(/^ {2}'([A-Z]+) (\/api\/\S+)'/gm))
    routes.push({ method, path: path.replace(':target', 't1').replace(/:\w+/g, '0') });
});

/** The status of a request whose address is sent as it is: fetch would tidy it up. */
function statusOf(origin: string, { method, path }: Route, headers: Record<string, string> = {}): Promise<number> {
  const body = method === 'POST' ? '{}' : '';
  return new Promise((resolve, reject) => {
    const type = body === '' ? {} : { 'content-type': 'application/json' };
    const request = httpRequest(origin, { method, path, headers: { ...type, ...headers }, agent: false });
    request.on('error', reject).on('response', (response) => {
      // Streams that were let in do not end by themselves.
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    request.end(body);
  });
}

function toHex(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16)}`;
}

/** Addresses that the router takes for the same route. */
function spellingsOf(path: string): string[] {
  const [way = '', query] = path.split('?');
  const rest = query === undefined ? '' : `?${query}`;
  const all = way.replace(/[a-z]/g, toHex);
  return [
    path,
    ...['a', 'p', 'i'].map((letter) => path.replace(letter, toHex)),
    path.replace('/api', all.slice(0, '/%61%70%69'.length)),
    all + rest,
    all.toUpperCase() + rest,
    `http://127.0.0.1${path}`,
    `HTTP://evil.example${all}${rest}`,
    `${path}${query === undefined ? '?' : '&'}x=1`,
    `${path}#/`,
  ];
}

/** Addresses that look like a route, and that no route has. */
function lookalikesOf(path: string): string[] {
  return [
    `/${path}`,
    `/.${path}`,
    `/x/..${path}`,
    `/%2e${path}`,
    path.replace('/api/', '/api//'),
    path.replace('/api/', '/API/'),
    path.replace('/api/', '/api%2f'),
    path.replace('/api/', '/api%252f'),
    path.replace('/api', '%2fapi'),
    path.replace('/api', '/%2561pi'),
    path.replace('/api', '\\api'),
    path.replace('/api', '/api;x=1'),
    path.replace(/(\?|$)/, ';$1'),
    path.replace(/(\?|$)/, '/$1'),
  ];
}

test('U10: no spelling of an address gets around the cookie', async () => {
  const studio = await openStudio({
    targets: [{ name: 'own', url: 'http://127.0.0.1:9', apiKey: '', isModule: false }],
  });
  expect(routes.length).toBeGreaterThan(30);
  for (const { method, path } of routes.filter((each) => each.path !== '/api/enter')) {
    for (const spelling of spellingsOf(path))
      expect(await statusOf(studio.origin, { method, path: spelling }), `${method} ${spelling}`).toBe(401);
    for (const lookalike of lookalikesOf(path))
      expect([400, 401, 404], `${method} ${lookalike}`).toContain(
        await statusOf(studio.origin, { method, path: lookalike }),
      );
  }
  expect((await studio.ask('GET /api/targets')).map(({ name }) => name)).toEqual(['own']);
});

test('U10: no spelling of an address lets in a page of another origin, even with the cookie', async () => {
  const { origin, cookie } = await openStudio();
  for (const { method, path } of routes)
    for (const spelling of spellingsOf(path)) {
      const from = { cookie, origin: 'http://evil.example' };
      expect(await statusOf(origin, { method, path: spelling }, from), `${method} ${spelling}`).toBe(403);
    }
});

test('U10: other methods and unknown addresses are behind the gate as well', async () => {
  const { origin, cookie } = await openStudio();
  for (const method of ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'TRACE'])
    for (const path of ['/api/targets', '/%61pi/targets', 'http://127.0.0.1/api/targets']) {
      expect(await statusOf(origin, { method, path }), `${method} ${path}`).toBe(401);
      const from = { cookie, origin: 'http://evil.example' };
      expect(await statusOf(origin, { method, path }, from), `${method} ${path}`).toBe(403);
    }
  expect(await statusOf(origin, { method: 'POST', path: '/nothing' })).toBe(401);
  expect(await statusOf(origin, { method: 'HEAD', path: '/api/targets' }, { cookie })).toBe(200);
});

test('the page itself may be opened from anywhere', async () => {
  const { origin } = await openStudio();
  for (const method of ['GET', 'HEAD'])
    for (const path of ['/', '/index.html', '/#/runs', '/?x=1'])
      expect(await statusOf(origin, { method, path }, { 'sec-fetch-site': 'cross-site' }), path).toBe(200);
});
