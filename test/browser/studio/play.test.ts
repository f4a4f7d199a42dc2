import type { Page } from 'playwright-core';
import { environment, step, ToolError } from 'tiltyard';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { gridworld } from '../../../examples/gridworld/environment.ts';
import { gsm8k } from '../../../examples/gsm8k/environment.ts';
import { hello } from '../../../examples/hello/environment.ts';
import { sandbox } from '../../../examples/sandbox/environment.ts';
import { calculator } from '../../../examples/toolkit/toolkit.ts';
import { withoutForeignFrames } from '../../../src/cli/shared/location.ts';
import { isWithoutBrowser, openPage, shareBrowser } from './open-page.ts';

const steps = (page: Page) => page.locator('.steps > .step');
const call = async (page: Page, count: number) => {
  await page.keyboard.press('Control+Enter');
  await steps(page)
    .nth(count - 1)
    .locator('.reward')
    .waitFor();
};

describe.skipIf(isWithoutBrowser('playing in the studio'))('the page Play', () => {
  const browser = shareBrowser();

  test('U2: from the first page to a finished episode with a reward, by clicks', async () => {
    const { page } = await openPage(browser(), { server: { environments: [gsm8k] } });
    await page.getByRole('button', { name: 'Play task 0', exact: true }).first().click();
    await page.getByText('Nadia bakes 4 trays').waitFor();
    await page.getByLabel('answer').fill('51');
    await page.getByRole('button', { name: /^Call submit/ }).click();
    await page.getByText('Finished · reward +1.00 in 1 step').waitFor();
    expect(await steps(page).locator('.reward').innerText()).toBe('+1.00');
  });

  test('U2: the other examples are played to their ends', async () => {
    const { page, go } = await openPage(browser(), {
      server: { environments: [gridworld, hello, sandbox], toolkits: [calculator] },
    });
    await go('#/play?environment=gridworld');
    await page.getByRole('button', { name: 'Edit the task' }).click();
    await page.getByLabel('Your own task as JSON').fill('{ "seed": 3, "size": 4 }');
    await page.getByRole('button', { name: /^Play gridworld/ }).click();
    await page.getByRole('img', { name: /From the environment: / }).waitFor();
    const finished = page.getByText(/Finished · reward .* in \d+ steps/);
    for (let move = 0; move < 60 && !(await finished.isVisible()); move += 1) {
      await page.getByRole('radio', { name: ['left', 'up', 'right', 'down'][move % 4] as string }).click();
      await call(page, move + 1);
    }
    await finished.waitFor();

    await go('#/play?environment=hello');
    await page.getByRole('button', { name: /^Play hello/ }).click();
    await page.getByLabel('sentence').fill('Good morning, Ada!');
    await call(page, 1);
    await page.getByText('Finished · reward +1.00 in 1 step').waitFor();

    await go('#/play?environment=sandbox');
    await page.getByRole('button', { name: /^Play sandbox/ }).click();
    await page.getByRole('radio', { name: 'bash' }).click();
    await page.getByLabel(/^command/).fill('echo "export {}" > solution.mjs; echo $((6 * 7))');
    await call(page, 1);
    expect(await steps(page).locator('.out').innerText()).toContain('42');
    await page.getByRole('radio', { name: 'submit' }).click();
    // What was said of the tool before must be gone.
    expect(await page.locator('.tool-about').count()).toBe(1);
    await call(page, 2);
    await page.getByText(/Finished · reward .* in 2 steps/).waitFor();

    await go('#/environments/t1/~toolkits');
    await page.getByRole('button', { name: 'Call them' }).click();
    await page.getByRole('radio', { name: /Add@2/ }).click();
    await page.getByLabel(/^a/).fill('0.1');
    await page.getByLabel(/^b/).fill('0.2');
    await call(page, 1);
    expect(await steps(page).locator('.out').innerText()).toContain('0.3');
  });

  test('U2: an episode that needs secrets says which, and leads to where they are entered', async () => {
    const vault = environment({
      name: 'vault',
      splits: { train: [{ n: 1 }, { n: 2 }, { n: 3 }] },
      requirements: { secrets: ['VAULT_KEY'] },
      prompt: ({ task }) => `Open door ${task.n}.`,
      tools: { open: { run: (_input: {}, { secrets }) => step(`with ${secrets.VAULT_KEY?.length} letters`) } },
    });
    const { page } = await openPage(browser(), { server: { environments: [vault] } });
    await page.getByRole('button', { name: 'Play task 1', exact: true }).click();
    await page.getByText('The episode could not be started.').waitFor();
    await page.getByText("environment 'vault' requires the secret VAULT_KEY").waitFor();
    await page.getByText('Enter what is missing, and start again.').waitFor();
    // Nothing is being loaded any more.
    expect(await page.getByText(/Change its tool|Try again|Waiting for the prompt/).count()).toBe(0);
    expect(await page.locator('main .loading, main .ghost').count()).toBe(0);
    await page.getByRole('button', { name: 'Enter the secrets' }).click();
    await page.getByLabel('Value of VAULT_KEY').fill('sesame');
    expect(await page.getByRole('spinbutton', { name: /^Task/ }).inputValue()).toBe('1');
    await page.getByRole('button', { name: /^Play vault/ }).click();
    await page.getByText('Open door 2.').waitFor();
    await page.getByText('secrets: VAULT_KEY').waitFor();
    // Also after a reload: the page has forgotten them by then.
    await page.reload();
    await page.getByRole('button', { name: /^Next task/ }).click();
    await page.getByText('Open door 3.').waitFor();
    await page.getByRole('button', { name: /^Call open/ }).click();
    await page.getByText('with 6 letters').waitFor();
  });

  test('U2: an episode is played by keyboard alone', async () => {
    const { page, go } = await openPage(browser(), { server: { environments: [gridworld] } });
    await go('#/play?environment=gridworld');
    await page.getByRole('spinbutton', { name: /^Task/ }).focus();
    for (let tries = 0; tries < 12; tries += 1) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate(() => document.activeElement?.textContent)) === 'Play gridworld') break;
    }
    await page.keyboard.press('Enter');
    await page.getByRole('radio', { name: 'down' }).focus();
    await page.keyboard.press('Space');
    await call(page, 1);
    await call(page, 2);
    await page.locator('main').focus();
    await page.keyboard.press('j');
    expect(await steps(page).first().getAttribute('aria-current')).toBe('step');
    await page.keyboard.press('r');
    await page.getByText('branch of p1, from step 1').waitFor();
    await steps(page).locator('.tag', { hasText: 'played again' }).waitFor();
    expect(await steps(page).count()).toBe(1);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    // Whoever has left a dialog is where it was opened.
    const save = page.getByRole('button', { name: 'Save as…' });
    await save.press('Enter');
    await page.getByRole('dialog', { name: 'Save this branch' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await save.evaluate((button) => button === document.activeElement)).toBe(true);
  });

  test('U8: on a small screen the next call stays in reach, however many steps there are', async () => {
    const { page, go } = await openPage(browser(), {
      server: { environments: [dice] },
      context: { viewport: { width: 360, height: 740 } },
    });
    await go('#/play?environment=dice');
    await page.getByRole('button', { name: /^Play dice/ }).click();
    const button = page.getByRole('button', { name: /^Call roll/ });
    const isInSight = () => button.evaluate((each) => each.getBoundingClientRect().bottom <= innerHeight);
    for (let step = 1; step <= 12; step += 1) {
      await button.click();
      await steps(page)
        .nth(step - 1)
        .locator('.reward')
        .waitFor();
    }
    await page.evaluate(() => scrollTo({ top: 0 }));
    expect(await isInSight()).toBe(true);
    await page.getByRole('button', { name: 'Show the next call' }).click();
    expect(await button.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Show the next call' }).click();
    await button.click();
    await steps(page).nth(12).locator('.reward').waitFor();
    // What has just come stands above the sheet.
    await page.waitForFunction(() => {
      const [last, sheet] = [document.querySelector('.step:last-child'), document.querySelector('.composer')];
      return (
        last !== null && sheet !== null && last.getBoundingClientRect().bottom <= sheet.getBoundingClientRect().top
      );
    });
  });

  test('U2: failures are told by class, with what to do', async () => {
    const { page, go } = await openPage(browser(), { server: { environments: [trouble] } });
    await go('#/play?environment=trouble');
    await page.getByRole('button', { name: /^Play trouble/ }).click();
    await page.getByRole('radio', { name: 'tells' }).click();
    await call(page, 1);
    expect(await steps(page).nth(0).innerText()).toContain('tool error');
    await page.getByRole('radio', { name: 'breaks' }).click();
    await call(page, 2);
    expect(await steps(page).nth(1).innerText()).toContain('environment error');
    await page.getByRole('radio', { name: 'takes' }).click();
    await page.getByRole('button', { name: /^Call takes/ }).click();
    await page.getByText('This is required.').waitFor();
    // Raw JSON is sent as it is, so that one can see what the server says.
    await page.getByRole('tab', { name: 'JSON' }).click();
    await call(page, 3);
    expect(await steps(page).nth(2).innerText()).toContain('refused');
  });

  test('U2: of an exception the lines of the author are shown, and its whole stack on request', async () => {
    const { page, go } = await openPage(browser(), {
      server: { environments: [trouble], returnErrors: 'stacktrace' },
      toMessage: withoutForeignFrames,
    });
    await go('#/play?environment=trouble');
    await page.getByRole('button', { name: /^Play trouble/ }).click();
    await page.getByRole('radio', { name: 'breaks' }).click();
    await call(page, 1);
    const problem = steps(page).first().locator('.problem');
    expect(await problem.innerText()).toContain('play.test.ts');
    expect(await problem.innerText()).not.toContain('runner.ts');
    await problem.getByText('Whole stack').click();
    expect(await problem.innerText()).toContain('runner.ts');
  });

  test('U2: a call that runs shows its time, and can be cancelled', async () => {
    const { page, go } = await openPage(browser(), { server: { environments: [trouble] } });
    await go('#/play?environment=trouble');
    await page.getByRole('button', { name: /^Play trouble/ }).click();
    await page.getByRole('radio', { name: 'waits' }).click();
    await page.keyboard.press('Control+Enter');
    await page.getByText(/running, /).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('.problem.cancelled').waitFor();
  });

  test('U2: forms know the features of JSON Schema, and what they make is what is sent', async () => {
    const { page, go } = await openPage(browser(), { server: { environments: [forms] } });
    await go('#/play?environment=forms');
    await page.getByRole('button', { name: /^Play forms/ }).click();
    await page.getByLabel(/^text/).fill('two\nlines');
    await page.getByLabel(/^count/).fill('3');
    await page.getByLabel(/^sure/).selectOption('true');
    await page.getByRole('radio', { name: 'blue' }).click();
    await page.getByRole('button', { name: 'Add an item' }).click();
    await page.locator('.item textarea').fill('first');
    await page.getByLabel(/^depth/).fill('2');
    await call(page, 1);
    expect(JSON.parse(await steps(page).locator('.out').innerText())).toEqual({
      text: 'two\nlines',
      count: 3,
      sure: true,
      colour: 'blue',
      tags: ['first'],
      options: { depth: 2 },
    });
  });

  test('U2: the wire of a step is shown as it was', async () => {
    const { page } = await openPage(browser(), { server: { environments: [gsm8k] } });
    await page.getByRole('button', { name: 'Play task 0', exact: true }).first().click();
    await page.getByLabel('answer').fill('51');
    await call(page, 1);
    await page.getByRole('button', { name: 'Wire of step 1' }).click();
    const wire = page.locator('.wire');
    await wire.getByText('POST').waitFor();
    expect(await wire.innerText()).toContain('"answer":"51"');
  });

  test('U3: a branch plays the first calls again, marks what differs, and can be compared', async () => {
    const { page, go } = await openPage(browser(), { server: { environments: [dice] } });
    await go('#/play?environment=dice');
    await page.getByRole('button', { name: /^Play dice/ }).click();
    await page.getByRole('radio', { name: 'roll' }).click();
    await call(page, 1);
    await call(page, 2);
    await page.getByRole('button', { name: 'Go on from here: after step 1' }).click();
    await page.getByText('branch of p1, from step 1').waitFor();
    await page.getByText(/Differs from before: .*text/).waitFor();
    await call(page, 2);
    await page.getByRole('link', { name: 'Compare with p1' }).click();
    await page.getByRole('heading', { name: 'Comparing p2 with p1' }).waitFor();
    expect(await page.locator('.pair').count()).toBe(2);
    expect(await page.locator('.pair.differs').first().innerText()).toContain('the same call, another result');
    await page.getByRole('button', { name: 'Save as…' }).click();
    for (const [tab, text] of [
      ['Game', 'roll'],
      ['Vitest test', "from 'tiltyard/testing'"],
      ['curl script', 'curl'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click();
      await page.locator('.file').getByText(text).first().waitFor();
    }
  });
});

const rolls = (function* numbers() {
  for (let next = 1; ; next += 1) yield next;
})();

/** No two rolls are the same: a branch cannot come out as its parent did. */
const dice = environment({
  name: 'dice',
  splits: { train: [{}] },
  prompt: () => 'Roll.',
  tools: { roll: { description: 'Rolls.', run: () => step(`You rolled ${rolls.next().value}.`, { reward: 0.5 }) } },
});

const trouble = environment({
  name: 'trouble',
  splits: { train: [{}] },
  prompt: () => 'Try.',
  tools: {
    tells: {
      description: 'Fails as tools do.',
      run() {
        throw new ToolError('The door is locked.');
      },
    },
    breaks: {
      description: 'Fails as code does.',
      run() {
        throw new Error('a bug');
      },
    },
    takes: { description: 'Takes a word.', input: z.object({ word: z.string() }), run: ({ word }) => word },
    waits: {
      description: 'Waits.',
      run: (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped'))),
    },
  },
});

const forms = environment({
  name: 'forms',
  splits: { train: [{}] },
  prompt: () => 'Fill in.',
  tools: {
    send: {
      description: 'Gives back what it got.',
      input: z.object({
        text: z.string(),
        count: z.int().min(1).max(5),
        sure: z.boolean(),
        colour: z.enum(['red', 'blue']),
        tags: z.array(z.string()),
        options: z.object({ depth: z.number() }),
      }),
      run: (input) => JSON.stringify(input),
    },
  },
});
