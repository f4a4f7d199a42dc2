// npm run bench:studio: what the page of the studio feels like with a large run, and with a busy server. Needs Chromium.
// `-- runs` and `-- live` measure only that; EPISODES, SESSIONS, CALLS and SECONDS change the sizes.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import type { LiveSnapshot } from '../src/studio/api.ts';
import { findChromium, startChromium } from '../test/browser/chromium.ts';
import { startPlayers } from '../test/support/players.ts';
import { startChild } from './child.ts';
import { API_KEY } from './servers/api-key.ts';
import { watchFrames } from './studio/frames.ts';
import { writeLargeRun } from './studio/large-run.ts';

const EPISODES = Number(process.env.EPISODES ?? 100_000);
const SESSIONS = Number(process.env.SESSIONS ?? 1_000);
const CALLS = Number(process.env.CALLS ?? 1_000);
const SECONDS = Number(process.env.SECONDS ?? 10);

const chosen = process.argv.slice(2);
const found = await findChromium();
if ('missing' in found) throw new Error(`Chromium is needed: ${found.missing}`);
const browser = await startChromium(found.path, []);
using server = await startChild('events');
const url = `http://127.0.0.1:${server.port}`;
try {
  if (chosen.length === 0 || chosen.includes('runs')) await measureRuns();
  if (chosen.length === 0 || chosen.includes('live')) await measureLive();
} finally {
  await browser.close();
}

/** Opens a large run, and does in it what people do. */
async function measureRuns(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tiltyard-bench-studio-'));
  try {
    process.env.TILTYARD_API_KEY = API_KEY;
    const run = await writeLargeRun(folder, EPISODES, url);
    using studio = await startStudio(run);
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await timed(`open the table of one run of ${EPISODES} episodes`, async () => {
      await page.goto(studio.url);
      await page.getByRole('link', { name: 'large', exact: true }).waitFor();
    });
    await timed('open the run, by a click', async () => {
      await page.getByRole('link', { name: 'large', exact: true }).click();
      await page.locator('a.cell').first().waitFor();
    });
    const rows = page.locator('.row.run-task:not(.head)');
    await timed('only what failed', () => act(page, () => page.getByRole('button', { name: /^Failed/ }).click()));
    await timed('all again', () => act(page, () => page.getByRole('button', { name: /^All/ }).click()));
    await timed('sorted by mean', () => act(page, () => page.getByRole('button', { name: /^Mean: sort/ }).click()));
    await timed('scrolled to the end', async () => {
      await page.locator('.virtual').evaluate((list) => list.scrollTo({ top: list.scrollHeight }));
      await rows.last().locator('a.cell').first().waitFor();
    });
    const search = page.getByLabel('Search the tasks');
    await timed('a text that is rare: all of it found', async () => {
      await search.fill('rare bird');
      await page.waitForFunction((count) => document.querySelectorAll('a.cell.match').length === count, matches(), {
        timeout: 300_000,
      });
    });
    await timed('the same with one more word: all of it found', async () => {
      await search.fill('a rare bird');
      await page.waitForResponse((response) => response.url().includes('text=a+rare+bird'));
      await page.waitForFunction((count) => document.querySelectorAll('a.cell.match').length === count, matches());
    });
    await timed('the first episode of them', async () => {
      await page.locator('a.cell.match').first().click();
      await page.locator('.step.selected', { hasText: 'a rare bird' }).waitFor();
    });
    say('memory of the studio', mb(memoryOf(studio.pid)));
    say('memory of the page', mb(await heapOf(page)));
    await page.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How many records say something rare. */
function matches(): number {
  return Math.ceil(EPISODES / 10_000);
}

/** Watches a server on which others play. */
async function measureLive(): Promise<void> {
  using studio = await startStudio(url);
  await using players = await startPlayers({
    url,
    apiKey: API_KEY,
    split: 'counted',
    sessions: SESSIONS,
    tool: 'add',
    input: { amount: 1, note: 'a note' },
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  // What tsx leaves in functions that are sent to the page.
  await page.addInitScript('globalThis.__name = (named) => named');
  await page.goto(studio.url);
  await page.goto(`${new URL(studio.url).origin}/#/live`);
  await page.locator('.row.session:not(.head)').first().waitFor({ timeout: 120_000 });
  const told = (about: string, seen: Awaited<ReturnType<typeof watchFrames>>) =>
    say(
      about,
      `${seen.framesPerSecond.toFixed(0)} frames a second, ${seen.medianMs.toFixed(0)} ms apart (95 %: ${seen.p95Ms.toFixed(0)}, longest ${seen.longestMs.toFixed(0)}); ${seen.longTasks} long tasks, ${seen.longTasksMs.toFixed(0)} ms in all`,
    );
  told(`${SESSIONS} sessions at rest`, await watchFrames(page, SECONDS * 500));
  const before = { cpuMs: await server.cpuMs(), calls: await callsIn(page), at: performance.now() };
  players.callAt(CALLS);
  told(`${2 * CALLS} events a second`, await watchFrames(page, SECONDS * 1_000));
  const scrolling = page.locator('.virtual').evaluate(async (list, ms) => {
    const end = performance.now() + ms;
    for (let by = 40; performance.now() < end; ) {
      list.scrollTop += by;
      if (list.scrollTop <= 0 || list.scrollTop >= list.scrollHeight - list.clientHeight - 1) by = -by;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }, SECONDS * 1_000);
  told('the same while scrolling', await watchFrames(page, SECONDS * 1_000));
  await scrolling;
  await timed('typed a search', () => act(page, () => page.getByLabel('Search the sessions').fill('counted 7')));
  await timed('followed one', async () => {
    await page.locator('.row.session:not(.head)').first().click();
    await page.getByRole('heading', { name: 'Steps' }).waitFor();
  });
  told('the same while following one', await watchFrames(page, SECONDS * 1_000));
  const leftOut = await page.getByText(/left out/).allTextContents();
  say('left out', leftOut.join(', ') || 'nothing');
  const seconds = (performance.now() - before.at) / 1_000;
  say('events', `${((2 * ((await callsIn(page)) - before.calls)) / seconds).toFixed(0)} a second came`);
  say('processor of the server', `${(((await server.cpuMs()) - before.cpuMs) / seconds / 10).toFixed(0)} % of a core`);
  say('memory of the studio', mb(memoryOf(studio.pid)));
  say('memory of the page', mb(await heapOf(page)));
  await page.close();
}

/** How many calls the studio has heard of. */
function callsIn(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const live = (await (await fetch('/api/targets/t1/live')).json()) as LiveSnapshot;
    return live.sessions.reduce((sum, { calls }) => sum + calls, 0);
  });
}

/** Does something, and waits until it is on the screen. */
async function act(page: Page, what: () => Promise<void>): Promise<void> {
  await what();
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined)))),
  );
}

async function startStudio(source: string): Promise<{ readonly url: string; readonly pid: number } & Disposable> {
  const child = spawn(
    process.execPath,
    ['dist/cli/main.js', 'studio', source, '--no-open', '--json', '--port', '8190'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TILTYARD_API_KEY: API_KEY },
    },
  );
  for await (const line of createInterface({ input: child.stdout })) {
    const { url: address } = JSON.parse(line) as { url: string };
    return { url: address, pid: child.pid ?? 0, [Symbol.dispose]: () => void child.kill('SIGINT') };
  }
  throw new Error('the studio has not started');
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await work();
  say(what, `${(performance.now() - begun).toFixed(0)} ms`);
}

function memoryOf(pid: number): number {
  const [, kb = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) * 1024;
}

async function heapOf(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  return (await devtools.send('Runtime.getHeapUsage')).usedSize;
}

function mb(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`;
}

function say(what: string, figure: string): void {
  console.log(`${what.padEnd(52)} ${figure}`);
}
