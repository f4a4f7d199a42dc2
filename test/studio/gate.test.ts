import { request as httpRequest } from 'node:http';
import { expect, test } from 'vitest';
import { openStudio } from './studio-client.ts';

/** A request with headers that fetch would not send. */
function rawStatus(url: string, headers: Record<string, string>, method = 'GET'): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent: false });
    request.on('error', reject).on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.end();
  });
}

test('U10: nothing is answered without the cookie, and the cookie needs the token of this launch', async () => {
  const studio = await openStudio();
  const other = await openStudio();
  for (const path of ['/api/studio', '/api/targets', '/api/stream?topic=targets', '/api/runs'])
    expect((await fetch(studio.origin + path)).status, path).toBe(401);
  const enter = (token: unknown) =>
    fetch(`${studio.origin}/api/enter`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
  for (const token of ['', 'wrong', other.token, `${studio.token}x`, 5, null])
    expect((await enter(token)).status, String(token)).toBe(403);
  const entered = await enter(studio.token);
  expect(entered.status).toBe(200);
  expect(entered.headers.get('set-cookie')).toMatch(
    /^tiltyard_studio_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  expect(entered.headers.get('set-cookie')).not.toContain(studio.token);
  const forged = studio.cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  expect((await fetch(`${studio.origin}/api/studio`, { headers: { cookie: forged } })).status).toBe(401);
  expect((await fetch(`${studio.origin}/api/studio`, { headers: { cookie: other.cookie } })).status).toBe(401);
  expect((await studio.request('GET', '/api/studio')).status).toBe(200);
});

test('U10: pages of other origins and other host names are refused, whatever they know', async () => {
  const { origin, cookie } = await openStudio();
  const { host, port } = new URL(origin);
  const ask = (headers: Record<string, string>, method?: string) =>
    rawStatus(`${origin}/api/studio`, { cookie, ...headers }, method);
  expect(await ask({})).toBe(200);
  expect(await ask({ origin })).toBe(200);
  expect(await ask({ origin: 'http://evil.example' })).toBe(403);
  expect(await ask({ origin: 'null' })).toBe(403);
  // Another server on this machine is another origin.
  expect(await ask({ origin: `http://127.0.0.1:${Number(port) + 1}` })).toBe(403);
  expect(await ask({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await ask({ 'sec-fetch-site': 'same-site' })).toBe(403);
  expect(await ask({ 'sec-fetch-site': 'same-origin' })).toBe(200);
  expect(await ask({ host: `evil.example:${port}` })).toBe(421);
  expect(await ask({ host: `localhost.evil.example:${port}` })).toBe(421);
  expect(await ask({ host: `localhost:${port}` })).toBe(200);
  expect(await ask({ host, origin: `https://${host}` })).toBe(200);
  expect(await rawStatus(`${origin}/`, { host: 'evil.example' })).toBe(421);
});

test('U10: every answer keeps the page from loading or running anything else', async () => {
  const { request } = await openStudio();
  for (const path of ['/', '/api/studio', '/nothing', '/api/nothing', '/%zz', `/api/plays/${'x'.repeat(1_001)}`]) {
    const { headers } = await request('GET', path);
    expect(headers.get('content-security-policy'), path).toMatch(/^default-src 'self'; img-src 'self' blob:;/);
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  }
});

test('U10: only JSON is taken, and bad input is told in the form of the contract', async () => {
  const { request } = await openStudio();
  const post = (body: string, type = 'application/json') =>
    request('POST', '/api/targets', { body, headers: { 'content-type': type } });
  expect((await post('{"url":"http://127.0.0.1:1"}', 'text/plain')).status).toBe(415);
  expect((await post('url=x', 'application/x-www-form-urlencoded')).status).toBe(415);
  for (const body of [
    '{',
    '[]',
    '5',
    '{}',
    '{"url":5}',
    '{"url":"ftp://x"}',
    '{"url":"math.ts"}',
    '{"url":"http://u:p@x"}',
  ]) {
    const answer = await post(body);
    expect(answer.status, body).toBe(400);
    expect(answer.body.error, body).toMatchObject({
      kind: 'request',
      code: 'bad_request',
      message: expect.any(String),
    });
  }
  expect(await request('GET', '/api/targets')).toMatchObject({ body: [] });
  expect((await request('GET', '/api/stream')).status).toBe(400);
  expect((await request('GET', '/..%2f..%2fpackage.json')).status).toBe(404);
  expect((await request('PUT', '/api/targets')).status).toBe(404);
});
