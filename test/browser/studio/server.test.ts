import type { Page } from 'playwright-core';
import { environment, step } from 'tiltyard';
import { connect } from 'tiltyard/client';
import { createServer } from 'tiltyard/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { gsm8k } from '../../../examples/gsm8k/environment.ts';
import { freePort } from '../../support/free-port.ts';
import { startPlayers } from '../../support/players.ts';
import { isWithoutBrowser, openPage, shareBrowser } from './open-page.ts';

const counter = environment({
  name: 'counter',
  splits: {
    huge: { type: 'train', count: 1_000_000, get: (index) => ({ question: `What is question number ${index}?` }) },
  },
  prompt: ({ task }) => task.question,
  tools: { count: { description: 'Counts.', run: () => step('counted', { reward: 0.25 }) } },
});

/** Scrolls a list to a share of its height. */
const scrollTo = (page: Page, share: number) =>
  page.locator('.virtual').evaluate((list, to) => {
    list.scrollTop = list.scrollHeight * to;
  }, share);

/** How wide the columns of the first such row are. */
const columnsOf = (page: Page, row: string) =>
  page
    .locator(row)
    .first()
    .evaluate((element) => getComputedStyle(element).gridTemplateColumns);

describe.skipIf(isWithoutBrowser('servers in the studio'))('a server in the studio', () => {
  const browser = shareBrowser();

  test('U1: a million tasks scroll, from the first to the last, and few of them exist', async () => {
    const { page } = await openPage(browser(), { server: { environments: [counter] } });
    await page.getByText('What is question number 0?').waitFor();
    expect(await page.locator('.split').innerText()).toContain('1,000,000');
    await scrollTo(page, 1);
    await page.getByText('What is question number 999999?').waitFor();
    await scrollTo(page, 0.5);
    await page
      .getByText(/What is question number (49|50)\d{4}\?/)
      .first()
      .waitFor();
    expect(await page.locator('.row.task').count()).toBeLessThan(60);
    await page.getByLabel('Search in the loaded tasks').fill('number 999999');
    await page.getByText('1 match in').waitFor();
    await page.getByRole('button', { name: 'What is question number 999999?' }).click();
    await page.getByRole('heading', { name: 'Task 999999' }).waitFor();
  });

  test('U4: 200 sessions of another process are listed, and one is followed step by step', async () => {
    const { page, go, server } = await openPage(browser(), { server: { environments: [counter] } });
    await go('#/live');
    await page.getByText('Nobody plays now').waitFor();
    const url = server?.url ?? '';
    await using players = await startPlayers({ url, split: 'huge', sessions: 200, tool: 'count' });
    await page.getByText('200 open').waitFor();
    expect(await page.locator('.row.session').count()).toBeLessThan(80);
    expect(await columnsOf(page, '.row.session:not(.head)')).toEqual(await columnsOf(page, '.row.session.head'));
    await page.getByLabel('Search the sessions').fill('huge 7');
    await page.getByRole('link', { name: /counter huge 7 / }).click();
    await page.getByRole('heading', { name: 'counter · huge 7' }).waitFor();
    await page.getByText('No calls yet.').waitFor();
    await players.callIn(7);
    await page.locator('.step', { hasText: 'counted' }).waitFor();
    await players.callIn(7);
    await page.locator('.step').nth(1).waitFor();
    await page.locator('.card .pill .reward', { hasText: '+0.50' }).waitFor();
  });

  test('U4: an episode that has finished is shown as finished, also before its session is deleted', async () => {
    const { page, go, server } = await openPage(browser(), { server: { environments: [gsm8k] } });
    await using session = await connect(server?.url ?? '', { apiKey: '' }).session({ split: 'train', index: 0 });
    await go('#/live');
    const row = page.locator('.row.session:not(.head)');
    await row.getByText('waiting').or(row.getByText('setting up')).waitFor();
    await session.call('submit', { answer: '51' });
    await row.getByText('finished').waitFor();
    await row.click();
    await page.locator('.card .tag', { hasText: 'finished' }).first().waitFor();
  });

  test('U4: a server without an event stream says so, and how to get one', async () => {
    const { page, go } = await openPage(browser(), { server: { environments: [counter], events: false } });
    await go('#/live');
    await page.getByText('The event stream of this server is off').waitFor();
  });

  test('U9: a server that restarts is found again, and a lost session offers to be played again', async () => {
    const port = await freePort();
    const serve = async () => {
      const server = await createServer({ environments: [counter], logger: false, events: true });
      await server.listen({ port });
      return server;
    };
    const first = await serve();
    const { page, go } = await openPage(browser(), { url: first.url });
    await go('#/play');
    await page.getByRole('button', { name: 'Play counter' }).click();
    await page.getByRole('radio', { name: 'count' }).click();
    await page.keyboard.press('Control+Enter');
    await page.locator('.step .reward').waitFor();
    await first.close();
    await page
      .getByText(/is away/)
      .first()
      .waitFor();
    const second = await serve();
    onTestFinished(() => second.close());
    await page
      .getByText(/is away/)
      .first()
      .waitFor({ state: 'detached' });
    const again = page.getByRole('button', { name: 'Play its 1 call again' });
    // The studio may notice the loss by itself, or at the next call.
    if (!(await again.isVisible())) await page.keyboard.press('Control+Enter');
    await again.click();
    await page.locator('.tag', { hasText: 'played again' }).waitFor();
  });

  test('U9: that servers or the studio are away is in sight, however far one has scrolled', async () => {
    const first = await createServer({ environments: [counter], logger: false });
    await first.listen();
    const { page, go, studio, complaints } = await openPage(browser(), {
      url: first.url,
      context: { viewport: { width: 640, height: 450 } },
    });
    studio.addTarget({ name: 'another', url: 'http://127.0.0.1:9', apiKey: '', isModule: false });
    await go('#/play?target=t1');
    await page.getByRole('button', { name: 'Play counter' }).click();
    for (const at of [0, 1, 2, 3]) {
      await page.getByRole('button', { name: /^Call count/ }).click();
      await page.locator('.step').nth(at).locator('.reward').waitFor();
    }
    await page.evaluate(() => window.scrollTo({ top: document.body.scrollHeight }));
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(100);
    await first.close();
    for (const words of ['2 servers are away', 'The studio does not answer.']) {
      const notice = page.locator('.connection', { hasText: words });
      await notice.waitFor();
      const { top, bottom } = await notice.evaluate((each) => each.getBoundingClientRect());
      expect([top >= 0, bottom < 450]).toEqual([true, true]);
      await studio.close();
    }
    complaints.length = 0;
  });

  test('U9: a studio that stops says so, and nothing is blank', async () => {
    const { page, studio, complaints } = await openPage(browser(), { server: { environments: [counter] } });
    await studio.close();
    await page.getByText('The studio does not answer.').first().waitFor();
    expect(await page.getByRole('heading', { name: 'Environments' }).isVisible()).toBe(true);
    complaints.length = 0;
  });
});
