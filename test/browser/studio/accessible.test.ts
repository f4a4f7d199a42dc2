import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isWithoutBrowser, openPage, shareBrowser } from './open-page.ts';
import { makeScene } from './scene.ts';

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

  // Thirteen pages, on a machine that may be busy.
  test.each(['light', 'dark'] as const)(
    'U8: axe finds nothing in %s, and nothing is cut at 360 px',
    async (colorScheme) => {
      await using scene = await makeScene();
      const { pages, ...shown } = scene;
      const { page, go } = await openPage(browser(), {
        ...shown,
        // Scripts of the test are not the page's: its policy would refuse them.
        context: { colorScheme, bypassCSP: true, reducedMotion: 'reduce' },
      });
      const found: Record<string, string[]> = {};
      const tooWide: string[] = [];
      for (const { name, open } of pages) {
        await open(page, go);
        await page.addScriptTag({ content: axe.source });
        const violations = await violationsOf(page);
        if (violations.length > 0) found[name] = violations;
        await page.setViewportSize({ width: 360, height: 740 });
        if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) tooWide.push(name);
        await page.setViewportSize({ width: 1280, height: 900 });
      }
      expect(found).toEqual({});
      expect(tooWide).toEqual([]);
    },
    240_000,
  );
});
