import { expect, test } from 'vitest';
import { isWithoutBrowser, openPage, shareBrowser } from '../browser/studio/open-page.ts';
import { describeWithPython, type Sdk, shareOfficialServer } from './python.ts';

const isSkipped = isWithoutBrowser('playing the official Python servers in the studio');

for (const sdk of ['ors', 'openreward'] satisfies Sdk[])
  describeWithPython(`the page of the studio at the server of ${sdk}`, () => {
    const serverUrl = shareOfficialServer(sdk);
    const browser = shareBrowser();

    test.skipIf(isSkipped)(
      'U10: an episode is played to its reward by clicks, and another way from the middle',
      async () => {
        const { page, go } = await openPage(browser(), { url: serverUrl() });
        await page.getByRole('link', { name: 'math', exact: true }).click();
        await page.getByText('What is 3+3?').waitFor();
        await page.getByRole('button', { name: 'Play task 3', exact: true }).click();
        await page.getByText('math: What is 3+3?').waitFor();

        // A tool of this task alone, one that throws, and one whose form comes from a pydantic model.
        await page.getByRole('radio', { name: 'hint' }).click();
        await page.getByRole('button', { name: /^Call hint/ }).click();
        await page.locator('.step', { hasText: 'think' }).waitFor();
        await page.getByRole('radio', { name: 'boom' }).click();
        await page.getByRole('button', { name: /^Call boom/ }).click();
        await page.locator('.step .pill', { hasText: 'environment error' }).waitFor();
        await page.getByRole('radio', { name: 'submit' }).click();
        await page.getByLabel('answer').fill('7');
        await page.getByRole('button', { name: /^Call submit/ }).click();
        await page.getByText('Finished · reward 0.00 in 3 steps').waitFor();

        await page.getByRole('button', { name: 'Go on from here: after step 1' }).click();
        await page.locator('.tag', { hasText: 'played again' }).waitFor();
        await page.getByRole('radio', { name: 'submit' }).click();
        await page.getByLabel('answer').fill('6');
        await page.getByRole('button', { name: /^Call submit/ }).click();
        await page.getByText('Finished · reward +1.00 in 2 steps').waitFor();
        await page.getByRole('button', { name: 'Wire of step 2' }).click();
        await page.getByText('event: end').first().waitFor();

        await go('#/live');
        await page.getByText('This server does not tell what happens on it').waitFor();
        expect(await page.locator('.state.failed').count()).toBe(0);
      },
    );
  });
