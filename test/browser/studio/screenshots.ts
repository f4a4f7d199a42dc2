// Pictures of every page, in both themes and three widths, into screenshots/: `npm run screenshots`, to look at them.
// With --readme, only the two that the README shows, into docs/images/. With words such as `light` or `1280`, only these looks.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { createServer } from 'tiltyard/server';
import { startStudio } from '../../../src/studio/index.ts';
import { findChromium, startChromium } from '../chromium.ts';
import { makeExtremes } from './extremes.ts';
import { makeScene, type Scene } from './scene.ts';

const WIDTHS = [360, 1280, 2560];
const THEMES = ['light', 'dark'] as const;
const README = new Set(['play', 'run']);

const isForReadme = process.argv.includes('--readme');
const out = isForReadme ? join('docs', 'images') : 'screenshots';
const found = await findChromium();
if ('missing' in found) throw new Error(`Chromium is needed: ${found.missing}`);
await mkdir(out, { recursive: true });
const browser = await startChromium(found.path, []);
await using scene = await makeScene();
await using extremes = await makeExtremes();
try {
  if (isForReadme) await shoot(browser, scene, { theme: 'light', width: 1280 });
  else
    for (const theme of chosenOf(THEMES))
      for (const width of chosenOf(WIDTHS))
        for (const each of [scene, ...extremes.scenes]) await shoot(browser, each, { theme, width });
} finally {
  await browser.close();
}

/** Those that the command line names, or all of them. */
function chosenOf<Choice>(choices: readonly Choice[]): readonly Choice[] {
  const chosen = choices.filter((choice) => process.argv.includes(String(choice)));
  return chosen.length === 0 ? choices : chosen;
}

interface Look {
  readonly theme: (typeof THEMES)[number];
  readonly width: number;
}

async function shoot(chromium: Browser, scene: Scene, { theme, width }: Look): Promise<void> {
  // Each look gets a studio of its own, so that all of them show the same.
  const { server: served, url, pages, ...shown } = scene;
  await using server =
    served === undefined ? undefined : await createServer({ environments: [], logger: false, events: true, ...served });
  await server?.listen();
  const address = url ?? server?.url;
  const targets = address === undefined ? [] : [{ name: address, url: address, apiKey: undefined, isModule: false }];
  await using studio = await startStudio({ port: 0, targets, ...shown });
  const height = width < 500 ? 740 : width > 2000 ? 1440 : 900;
  const context = await chromium.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await goTo(page, studio.url);
  const go = (hash: string) => goTo(page, `${studio.origin}/${hash}`);
  for (const { name, open } of pages) {
    await open(page, go);
    if (isForReadme && !README.has(name)) continue;
    // First, because what was off the screen is drawn when it comes into sight.
    await page.evaluate(() => scrollTo({ top: 0 }));
    await settle(page);
    const file = isForReadme ? `studio-${name}.png` : `${name.replaceAll(' ', '-')}-${theme}-${width}.png`;
    await page.screenshot({ path: join(out, file), fullPage: !isForReadme && width === 360 });
    console.log(join(out, file));
  }
  await context.close();
}

async function goTo(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('main h1').waitFor();
}

/** What is loaded after the page is there: pictures, rows, and the chart. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}
