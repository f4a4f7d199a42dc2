import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { environment, toolkit } from 'tiltyard';
import { createServer, type Server, type ServerOptions } from 'tiltyard/server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { skipAloud } from '../support/needed.ts';
import { findChromium, startChromium } from './chromium.ts';

const found = await findChromium();
if ('missing' in found) skipAloud('what web pages can do to a local server', found.missing);

/** What has run; a page must not add to it. */
const ran: string[] = [];
const run = () => {
  ran.push('a tool');
  return 'done';
};
const box = environment({
  name: 'box',
  splits: { train: [{ question: 'why?' }] },
  prompt: () => 'Do.',
  setup: () => void ran.push('a setup'),
  tools: { act: { description: 'Acts.', run } },
});
const kit = toolkit({ name: 'Kit', tools: { Act: { description: 'Acts.', run } } });

describe.skipIf('missing' in found)('a page in a real browser', () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof startSite>>;
  let server: Server;
  let page: Page;

  beforeAll(async () => {
    browser = await startChromium('path' in found ? found.path : '', ['evil.example', 'rebound.example']);
    site = await startSite();
    server = await serve({});
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    site?.close();
  });
  beforeEach(async () => {
    ran.length = 0;
    page = await (await browser.newContext()).newPage();
  });

  const CALL = JSON.stringify({ request: { tool_id: 'Kit.Act', input: {} } });
  const json = { 'content-type': 'application/json' };

  /** What came of a fetch in the page: a status, or that the browser showed it nothing. */
  const fetchIn = (url: string, init: Sent = {}) =>
    page.evaluate(
      ([target, options]) =>
        fetch(target, options).then(
          (answer) => (answer.type === 'opaque' ? 'opaque' : answer.status),
          () => 'blocked',
        ),
      [url, init] as const,
    );

  /** The statuses with which the server answers meanwhile. */
  const statusesOf = async (work: () => Promise<unknown>) => {
    const statuses: number[] = [];
    const note = (answer: { url(): string; status(): number }) => {
      if (answer.url().startsWith(server.url)) statuses.push(answer.status());
    };
    page.on('response', note);
    await work();
    return statuses;
  };

  test.each(['http://evil.example', 'http://localhost'])('of %s on another port runs nothing', async (origin) => {
    await page.goto(`${origin}:${site.port}/`);
    const tries: [path: string, init: Sent][] = [
      ['/tools/call', { method: 'POST', body: CALL, mode: 'no-cors' }],
      ['/tools/call', { method: 'POST', body: CALL, mode: 'no-cors', headers: { 'content-type': 'text/plain' } }],
      ['/tools/call', { method: 'POST', body: CALL, headers: json }],
      ['/tools/call', { method: 'POST', body: CALL }],
      ['/call', { method: 'POST', body: CALL, mode: 'no-cors' }],
      ['/create_session', { method: 'POST', mode: 'no-cors' }],
      ['/create', { method: 'POST', body: '{"split":"train","index":0}', headers: { ...json, 'x-session-id': 'a' } }],
      ['/box/tasks', { method: 'POST', body: '{"split":"train"}', mode: 'no-cors' }],
      ['/health', { mode: 'no-cors' }],
      ['/box/tools', {}],
    ];
    for (const [path, init] of tries)
      expect(['opaque', 'blocked'], path).toContain(await fetchIn(server.url + path, init));
    // A body without any type: fetch gives text one, and bytes none.
    await page.evaluate(
      ([target, body]) =>
        fetch(target, { method: 'POST', mode: 'no-cors', body: new TextEncoder().encode(body) }).catch(() => {}),
      [`${server.url}/tools/call`, CALL] as const,
    );
    await page.evaluate(([target, body]) => navigator.sendBeacon(target, new Blob([body], { type: 'text/plain' })), [
      `${server.url}/tools/call`,
      CALL,
    ] as const);
    expect(ran).toEqual([]);
  });

  test('that posts a form is shown a refusal, and nothing runs', async () => {
    await page.goto(`http://evil.example:${site.port}/`);
    const statuses = await statusesOf(async () => {
      await page.evaluate(
        ([target, body]) => {
          const form = Object.assign(document.createElement('form'), { method: 'post', action: target });
          form.enctype = 'text/plain';
          // A form writes `name=value`; with this it is JSON.
          const cut = body.indexOf('"input"');
          form.append(
            Object.assign(document.createElement('input'), {
              name: `${body.slice(0, cut)}"x":"`,
              value: `",${body.slice(cut)}`,
            }),
          );
          document.body.append(form);
          form.submit();
        },
        [`${server.url}/tools/call`, CALL] as const,
      );
      await page.waitForURL(`${server.url}/**`);
    });
    expect(statuses).toEqual([403]);
    expect(ran).toEqual([]);
  });

  test('that opens an event stream, an image, a script or a frame gets nothing', async () => {
    await page.goto(`http://evil.example:${site.port}/`);
    const seen = await page.evaluate(async (url) => {
      const stream = new EventSource(`${url}/box/prompt`);
      const closed = new Promise((resolve) => stream.addEventListener('error', () => resolve(stream.readyState)));
      const load = (tag: 'img' | 'script') =>
        new Promise((resolve) => {
          const element = document.createElement(tag);
          element.onload = () => resolve('loaded');
          element.onerror = () => resolve('refused');
          element.src = `${url}/openapi.json`;
          document.body.append(element);
        });
      return [await closed, await load('img'), await load('script')];
    }, server.url);
    expect(seen).toEqual([2, 'refused', 'refused']);
    const statuses = await statusesOf(async () => {
      await page.evaluate((url) => {
        const frame = Object.assign(document.createElement('iframe'), { src: `${url}/openapi.json` });
        const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
        document.body.append(frame);
        return loaded;
      }, server.url);
    });
    expect(statuses).toEqual([403]);
  });

  test('whose name comes to mean this machine (DNS rebinding) is not taken for the server', async () => {
    const { port } = new URL(server.url);
    const answer = await page.goto(`http://rebound.example:${port}/openapi.json`);
    expect(answer?.status()).toBe(421);
    expect(await answer?.json()).toMatchObject({ code: 'host_not_allowed' });
    // Now the browser takes the two for the same origin, and asks nobody.
    const rebound = `http://rebound.example:${port}`;
    expect(await fetchIn(`${rebound}/tools/call`, { method: 'POST', body: CALL, headers: json })).toBe(421);
    expect(await fetchIn(`${rebound}/box/tasks`, { method: 'POST', body: '{"split":"train"}', headers: json })).toBe(
      421,
    );
    expect(ran).toEqual([]);
  });

  test('of the server itself may use it', async () => {
    await page.goto(`${server.url}/openapi.json`);
    expect(await fetchIn('/tools/call', { method: 'POST', body: CALL, headers: json })).toBe(200);
    expect(ran).toEqual(['a tool']);
  });

  test('of an origin that the operator allows may use it', async () => {
    await using allowing = await serve({ allowOrigins: [`http://evil.example:${site.port}`] });
    await page.goto(`http://evil.example:${site.port}/`);
    const create: Sent = {
      method: 'POST',
      body: '{"split":"train","index":0}',
      headers: { ...json, 'x-session-id': 'a' },
    };
    expect(await fetchIn(`${allowing.url}/create`, create)).toBe(200);
    const call: Sent = { method: 'POST', body: '{"name":"act","input":{}}', headers: { ...json, 'x-session-id': 'a' } };
    expect(await fetchIn(`${allowing.url}/box/call`, call)).toBe(200);
    expect(ran).toEqual(['a setup', 'a tool']);
  });
});

/** What the tests use of fetch's options. */
interface Sent {
  readonly method?: 'POST';
  readonly mode?: 'no-cors';
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

async function serve(options: Partial<ServerOptions>): Promise<Server> {
  const server = await createServer({ environments: [box], toolkits: [kit], logger: false, ...options });
  await server.listen();
  return server;
}

/** A site of somebody else's, with an empty page. */
async function startSite(): Promise<{ readonly port: number; close(): void }> {
  const site = createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><body>');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  return {
    port: (site.address() as AddressInfo).port,
    close: () => {
      site.closeAllConnections();
      site.close();
    },
  };
}
