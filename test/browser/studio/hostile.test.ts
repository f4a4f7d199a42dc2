import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { environment, step, text } from 'tiltyard';
import { rollouts } from 'tiltyard/rollouts';
import { createServer } from 'tiltyard/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { exportSite } from '../../../src/studio/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { isWithoutBrowser, openContext, openPage, shareBrowser } from './open-page.ts';

const MARKUP = [
  '<script>globalThis.wasRun = true</script>',
  '<img src="http://evil.example/pixel.png" onerror="globalThis.wasRun = true">',
  '<a href="javascript:globalThis.wasRun = true">press me</a>',
  '[link](javascript:globalThis.wasRun=true) [other](http://evil.example/) ![image](http://evil.example/i.png)',
  '<iframe src="http://evil.example/"></iframe><style>body { display: none }</style><form action="http://evil.example/"><button>b</button></form>',
  '<svg onload="globalThis.wasRun = true"></svg> <div style="position: fixed; inset: 0">over all</div>',
  'http://evil.example/auto <http://evil.example/angle>',
].join('\n\n');

const nasty = environment({
  name: 'nasty',
  splits: { train: [{ text: MARKUP }] },
  prompt: () => MARKUP,
  tools: {
    markup: { description: MARKUP, run: () => step(MARKUP, { reward: 1, metadata: { html: MARKUP } }) },
    long: { description: '5 MB', run: () => 'long '.repeat(1_048_576) },
    many: { description: '1,000 blocks', run: () => Array.from({ length: 1000 }, (_, at) => text(`block ${at}`)) },
    ansi: {
      description: 'colours',
      run: () => '\u001b[31mred\u001b[0m \u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007',
    },
    bidi: { description: 'direction', run: () => 'invoice\u202egpj.exe \u2066x\u2069' },
  },
});

describe.skipIf(isWithoutBrowser('what hostile environments can do in the studio'))('hostile contents', () => {
  const browser = shareBrowser();

  test('U10: run nothing, load nothing and lead nowhere', async () => {
    const { page, go, complaints } = await openPage(browser(), { server: { environments: [nasty] } });
    await go('#/play?environment=nasty');
    await page.getByRole('button', { name: /^Play nasty/ }).click();
    await page.getByRole('radio', { name: 'markup' }).click();
    await page.keyboard.press('Control+Enter');
    await page.locator('.step .reward').waitFor();
    for (const tab of ['Raw', 'Rendered']) await page.getByRole('tab', { name: tab }).click();
    await page.getByText('press me').first().click();
    await page.getByText('link', { exact: false }).first().click();
    await go('#/environments');
    await page
      .getByRole('button', { name: /press me|script/ })
      .first()
      .click();
    expect(await page.evaluate(() => 'wasRun' in globalThis)).toBe(false);
    expect(await page.locator('main iframe, main form, main script, main style, main a[href^="http"]').count()).toBe(0);
    expect(page.url()).toContain('127.0.0.1');
    expect(complaints).toEqual([]);
  });

  test('U7, U10: do as little in runs that are read, from the studio and from an exported site', async () => {
    const folder = temporaryFolder('tiltyard-hostile-');
    const server = await createServer({ environments: [nasty], logger: false });
    onTestFinished(() => server.close());
    const runs = [join(folder, 'run')];
    await rollouts({
      target: await server.listen(),
      out: runs[0] as string,
      agent: {
        calls: [
          { tool: 'markup', input: {} },
          { tool: 'bidi', input: {} },
          { tool: MARKUP, input: {} },
        ],
      },
      tags: { [MARKUP]: MARKUP },
      retries: 0,
    });
    const read = async (page: Page) => {
      await page.getByRole('link', { name: 'run', exact: true }).click();
      await page.getByText('All settings').click();
      await page.locator('a.cell').first().click();
      for (const tab of ['Steps', 'Raw events', 'Reading']) await page.getByRole('tab', { name: tab }).click();
      await page.getByText('press me').first().click();
      await page.getByText('gpj.exe').first().waitFor();
      expect(await page.evaluate(() => 'wasRun' in globalThis)).toBe(false);
      expect(await page.locator('main iframe, main form, main script, main style, main a[href^="http"]').count()).toBe(
        0,
      );
    };
    const { page, go } = await openPage(browser(), { runs });
    await go('#/runs');
    await read(page);
    const out = join(folder, 'site');
    await exportSite({ runs, out });
    const exported = await (await openContext(browser())).newPage();
    const loaded: string[] = [];
    exported.on('request', (request) => loaded.push(request.url()));
    await exported.goto(pathToFileURL(join(out, 'index.html')).href);
    await read(exported);
    expect(loaded.filter((url) => !url.startsWith('file:') && !url.startsWith('blob:'))).toEqual([]);
  });

  test('U10: 5 MB of text and 1,000 blocks leave the page usable', async () => {
    const { page, go } = await openPage(browser(), { server: { environments: [nasty] } });
    await go('#/play?environment=nasty');
    await page.getByRole('button', { name: /^Play nasty/ }).click();
    for (const [at, tool] of ['long', 'many'].entries()) {
      await page.getByRole('radio', { name: tool }).click();
      await page.keyboard.press('Control+Enter');
      await page.locator('.step').nth(at).locator('.reward').waitFor();
    }
    await page.getByText('960 more blocks').click();
    await page.getByText('block 439').waitFor();
    expect(await page.locator('.step').first().innerText()).toMatch(/long long/);
    expect(await page.evaluate(() => document.body.innerText.length)).toBeLessThan(100_000);
  });

  test('U10: colours of terminals and characters that turn text around are shown, not obeyed', async () => {
    const { page, go } = await openPage(browser(), { server: { environments: [nasty] } });
    await go('#/play?environment=nasty');
    await page.getByRole('button', { name: /^Play nasty/ }).click();
    for (const [at, tool] of ['ansi', 'bidi'].entries()) {
      await page.getByRole('radio', { name: tool }).click();
      await page.keyboard.press('Control+Enter');
      await page.locator('.step').nth(at).locator('.reward').waitFor();
    }
    const texts = await page.locator('.step .out').allInnerTexts();
    expect(texts[0]).toBe('red link');
    expect(texts[1]).toContain('invoice‹U+202E›gpj.exe');
  });

  test('U10: a page without the token gets nothing, and the token is gone from the address', async () => {
    const { page, studio } = await openPage(browser(), { server: { environments: [nasty] } });
    expect(page.url()).not.toContain('token');
    expect(await page.evaluate(() => document.cookie)).toBe('');
    const stranger = await (await openContext(browser())).newPage();
    await stranger.goto(studio.origin);
    await stranger.getByText('This page needs the address that the command printed').waitFor();
    await stranger.goto(`${studio.origin}/#token=wrong`);
    await stranger.locator('.state').waitFor();
    expect(await stranger.locator('nav').count()).toBe(0);
  });

  test('U10: the address that the command printed lets in who pastes it into a page that is open already', async () => {
    const { studio } = await openPage(browser(), { server: { environments: [nasty] } });
    const page = await (await openContext(browser())).newPage();
    await page.goto(studio.origin);
    await page.getByText('This page needs the address that the command printed').waitFor();
    await page.goto(studio.url);
    await page.locator('main h1').waitFor();
    expect(page.url()).not.toContain('token');
  });

  test('U10: a page that goes elsewhere as soon as it is loaded has entered nevertheless', async () => {
    const { studio } = await openPage(browser(), { server: { environments: [nasty] } });
    const page = await (await openContext(browser())).newPage();
    // Before anything is rendered.
    await page.addInitScript(() => addEventListener('load', () => location.replace('#/live')));
    await page.goto(studio.url);
    await page.getByRole('heading', { name: 'Live' }).waitFor();
  });

  test('U10: a page of somebody else cannot reach the studio, even with its cookie in the browser', async () => {
    const { page, studio, complaints } = await openPage(browser(), { server: { environments: [nasty] } });
    const site = createHttpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><body>');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => {
      site.closeAllConnections();
      site.close();
    });
    const evil = await page.context().newPage();
    await evil.goto(`http://evil.example:${(site.address() as AddressInfo).port}/`);
    const tries = await evil.evaluate(async (origin) => {
      const attempt = (path: string, init: RequestInit) =>
        fetch(origin + path, { credentials: 'include', ...init }).then(
          (answer) => (answer.type === 'opaque' ? 'opaque' : answer.status),
          () => 'blocked',
        );
      const json = { 'content-type': 'application/json' };
      return [
        await attempt('/api/studio', {}),
        await attempt('/api/plays', { method: 'POST', headers: json, body: '{}' }),
        await attempt('/api/plays', { method: 'POST', mode: 'no-cors', body: '{}' }),
      ];
    }, studio.origin);
    expect(tries.filter((each) => typeof each === 'number' && each < 400)).toEqual([]);
    expect(await page.evaluate(() => fetch('/api/plays').then((answer) => answer.json()))).toEqual([]);
    complaints.length = 0;
  });
});
