import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { makeExtremes } from './extremes.ts';
import { isWithoutBrowser, openPage, shareBrowser } from './open-page.ts';
import { makeScene, type Scene } from './scene.ts';

/** What axe finds wrong with the page. */
async function violationsOf(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate(async () => {
    const inPage = globalThis as unknown as { readonly axe: { run(): Promise<AxeResults> } };
    return inPage.axe.run();
  });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

describe.skipIf(isWithoutBrowser('whether everybody can use the studio'))('every page', () => {
  const browser = shareBrowser();

  /** Names of pages with what is wrong with them. */
  const examine = async ({ pages, ...shown }: Scene, colorScheme: 'light' | 'dark') => {
    const { page, go, complaints } = await openPage(browser(), {
      ...shown,
      // Scripts of the test are not the page's: its policy would refuse them.
      context: { colorScheme, bypassCSP: true, reducedMotion: 'reduce' },
    });
    const found: Record<string, string[]> = {};
    for (const { name, open } of pages) {
      await open(page, go);
      await page.addScriptTag({ content: axe.source });
      const violations = await violationsOf(page);
      await page.setViewportSize({ width: 360, height: 740 });
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) violations.push('too wide');
      await page.setViewportSize({ width: 1280, height: 900 });
      if (violations.length > 0) found[name] = violations;
    }
    // Chromium itself writes of answers such as 404 for a run that is not there.
    if (shown.server === undefined) complaints.length = 0;
    return found;
  };

  // Many pages, on a machine that may be busy.
  test.each(['light', 'dark'] as const)(
    'U8: axe finds nothing in %s, and nothing is cut at 360 px',
    async (colorScheme) => {
      await using scene = await makeScene();
      expect(await examine(scene, colorScheme)).toEqual({});
    },
    240_000,
  );

  test('U8, U9: nor where there is nothing, too much, or a failure', async () => {
    await using extremes = await makeExtremes();
    const found: Record<string, string[]> = {};
    for (const scene of extremes.scenes) Object.assign(found, await examine(scene, 'light'));
    expect(found).toEqual({});
  }, 240_000);
});
