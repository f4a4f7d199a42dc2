import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rollouts } from 'tiltyard/rollouts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { gsm8k } from '../../../examples/gsm8k/environment.ts';
import { exportSite } from '../../../src/studio/index.ts';
import { questions, serveQuiz } from '../../rollouts/quiz.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { startFakeModel } from '../../support/model/fake-model.ts';
import { isWithoutBrowser, openContext, openPage, shareBrowser } from './open-page.ts';

const makeFolder = () => temporaryFolder('tiltyard-page-');

/** Two runs of a quiz of twelve questions: one always says the same, one is right about every other question. */
async function playTwo(): Promise<string> {
  const folder = makeFolder();
  const target = await serveQuiz(questions(12));
  const base = { target, retries: 0, k: 2 };
  await rollouts({
    ...base,
    out: join(folder, 'same-answer'),
    agent: { calls: [{ tool: 'submit', input: { answer: '3' } }] },
  });
  await rollouts({
    ...base,
    out: join(folder, 'half'),
    agent: {
      solve: ({ answer }) => [{ tool: 'submit', input: { answer: Number(answer) % 2 === 0 ? String(answer) : 'no' } }],
    },
  });
  return folder;
}

const LONG_AGENT = 'example-provider/an-example-model-with-a-long-name-2026-11-18-preview'.padEnd(80, '-thinking');

/** Runs whose agents have names of 80 characters. */
async function playLongNames(count: number): Promise<string> {
  const folder = makeFolder();
  const target = await serveQuiz(questions(4));
  for (const at of Array(count).keys())
    await rollouts({
      target,
      retries: 0,
      k: 2,
      out: join(folder, `2026-11-18T10-20-${String(at).padStart(2, '0')}-quiz-test`),
      agentName: LONG_AGENT,
      agent: { calls: [{ tool: 'submit', input: { answer: String(at % 4) } }] },
    });
  return folder;
}

describe.skipIf(isWithoutBrowser('reading runs in the studio'))('the page Runs', () => {
  const browser = shareBrowser();

  test('U5: from the runs to the messages of the first failed episode in three clicks', async () => {
    const { page, go } = await openPage(browser(), { runs: [await playTwo()] });
    await go('#/runs');
    await page.getByRole('link', { name: 'half' }).click();
    await page.getByRole('button', { name: /^Failed/ }).click();
    await page.locator('a.cell.failed').first().click();
    await page
      .locator('.reading')
      .getByText(/submit\(answer: "no"\)/)
      .waitFor();
    expect(await page.locator('.reading .reward').first().innerText()).toBe('0.00');
  });

  test('U5: filters, sorting and episodes have addresses that lead back to them', async () => {
    const { page, go } = await openPage(browser(), { runs: [await playTwo()] });
    await go('#/runs');
    await page.getByRole('link', { name: 'half' }).click();
    await page.getByRole('button', { name: /^Mean: sort/ }).click();
    await page.getByRole('button', { name: /^Passed/ }).click();
    await page.locator('a.cell.failed').first().waitFor({ state: 'detached' });
    expect(await page.locator('a.cell.passed').count()).toBeGreaterThan(0);
    const address = page.url();
    expect(address).toContain('filter=passed');
    await page.locator('a.cell.passed').first().click();
    // The heading is there before the episode, and so before its keys.
    await page.getByRole('button', { name: /^Next/ }).waitFor();
    const episode = page.url();
    await page.keyboard.press('j');
    await page.waitForFunction((before) => location.href !== before, episode);
    await page.locator('.reading .step').first().hover();
    await page.getByRole('link', { name: 'Link to step 1' }).click();
    const link = page.url();
    expect(link).toMatch(/event=\d+$/);
    await page.goto(address);
    await page.goto(link);
    await page.locator('.step.selected').waitFor();
    await page.goto(address);
    await page.locator('a.cell.passed').first().waitFor();
    expect(await page.getByRole('button', { name: /^Passed/ }).getAttribute('aria-pressed')).toBe('true');
  });

  test('U5: a text is found in what was said, and leads to where it was', async () => {
    const { page, go } = await openPage(browser(), { runs: [await playTwo()] });
    await go('#/runs');
    await page.getByRole('link', { name: 'half' }).click();
    await page.locator('a.cell').first().waitFor();
    await page.getByLabel('Search the tasks').fill('WRONG');
    await page.locator('a.cell.match').first().waitFor();
    const [found, listed] = [page.locator('a.cell.match'), page.locator('.row.run-task:not(.head)')];
    await page.waitForFunction(() => document.querySelectorAll('.row.run-task:not(.head)').length === 6);
    expect([await found.count(), await listed.count()]).toEqual([12, 6]);
    await found.first().click();
    await page.locator('.step.selected', { hasText: 'Wrong.' }).waitFor();
    await page.getByRole('link', { name: /^task \d/ }).click();
    await page.locator('a.cell').first().waitFor();
    await page.waitForFunction(() => document.querySelectorAll('.row.run-task:not(.head)').length === 1);
    await page.getByLabel('Search the tasks').fill('nobody said this');
    await page.getByText('No task matches.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.row.run-task:not(.head)').length === 12);
    expect(await page.getByLabel('Search the tasks').inputValue()).toBe('');
  });

  test('U5: two runs are compared, and only what differs is listed', async () => {
    const { page, go } = await openPage(browser(), { runs: [await playTwo()] });
    await go('#/runs');
    for (const name of ['same-answer', 'half']) await page.getByRole('checkbox', { name: `Compare ${name}` }).check();
    await page.getByRole('button', { name: 'Compare the two' }).click();
    await page.getByRole('heading', { name: /same-answer against half/ }).waitFor();
    await page.locator('.row.compared-task:not(.head) .num').first().waitFor();
    const differences = await page.locator('.row.compared-task:not(.head) b.num').allInnerTexts();
    expect(differences.length).toBeGreaterThan(0);
    expect(differences.every((text) => text !== '0.000')).toBe(true);
  });

  test('U8: the table fits from 1024 px on; a name that is cut is whole on hover, by keyboard and on its page', async () => {
    const folder = await playLongNames(20);
    const { page, go } = await openPage(browser(), { runs: [folder] });
    await go('#/runs');
    await page.locator('tbody tr').nth(19).waitFor();
    for (const width of [1024, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      const hidden = await page.locator('.wide-table').evaluate((table) => table.scrollWidth - table.clientWidth);
      expect(hidden, `px cut at ${width}`).toBe(0);
    }
    await page.setViewportSize({ width: 1024, height: 900 });
    const agent = page.locator('tbody tr').first().getByTitle(LONG_AGENT);
    const isCut = () => agent.evaluate((name) => name.scrollHeight > name.clientHeight);
    expect(await isCut()).toBe(true);
    await page.getByRole('checkbox').first().focus();
    await page.keyboard.press('Tab');
    expect(await isCut()).toBe(false);
    await page.keyboard.press('Enter');
    await page.locator('.facts dd', { hasText: LONG_AGENT }).waitFor();
  });

  test('U5: messages of a model are shown with its calls and tokens', async () => {
    const folder = makeFolder();
    const model = await startFakeModel(({ turn }) =>
      turn === 0
        ? { text: 'I **think** it is three.', calls: [{ name: 'submit', input: { answer: '3' } }] }
        : { text: 'Done.' },
    );
    await rollouts({
      target: await serveQuiz(questions(2)),
      out: join(folder, 'model'),
      agent: 'model',
      model: model.name('anthropic'),
      retries: 0,
    });
    const { page, go } = await openPage(browser(), { runs: [folder] });
    await go('#/runs');
    await page.getByRole('link', { name: 'model' }).click();
    await page.locator('a.cell').first().click();
    const message = page.locator('.said-by', { hasText: 'I think it is three.' }).first();
    await message.waitFor();
    expect(await message.locator('strong').innerText()).toBe('think');
    expect(await message.innerText()).toMatch(/asks for submit\(answer: "3"\)/);
    await page.getByRole('tab', { name: 'Raw events' }).click();
    await page.getByText('"episode"').first().waitFor();
  });

  test('U5: tokens that are estimated are marked as such', async () => {
    const folder = makeFolder();
    const calls = [{ name: 'submit', input: { answer: '3' } }];
    const model = await startFakeModel(() => ({ text: 'Three.', calls, isUncounted: true }));
    const target = await serveQuiz(questions(2));
    await rollouts({
      target,
      out: join(folder, 'guessed'),
      agent: 'model',
      model: model.name('anthropic'),
      retries: 0,
    });
    const { page, go } = await openPage(browser(), { runs: [folder] });
    await go('#/runs');
    await page.getByRole('link', { name: 'guessed' }).click();
    await page.locator('.tile', { hasText: 'Tokens (estimated)' }).waitFor();
    await page.locator('a.cell').first().click();
    await page.locator('.facts dd', { hasText: /in, \d+ out \(estimated\)$/ }).waitFor();
    await page
      .locator('.said-by h3', { hasText: /in, \d+ out \(estimated\)/ })
      .first()
      .waitFor();
  });

  test('U5: a run that goes on changes on the screen', async () => {
    const folder = makeFolder();
    const stop = new AbortController();
    let open: (() => void) | undefined;
    const waiting = new Promise<void>((resolve) => {
      open = resolve;
    });
    const going = rollouts({
      target: await serveQuiz(questions(6)),
      out: join(folder, 'going'),
      retries: 0,
      concurrency: 1,
      signal: stop.signal,
      agent: {
        async solve({ answer }) {
          if (answer !== '1') await waiting;
          return [{ tool: 'submit', input: { answer: String(answer) } }];
        },
      },
    });
    onTestFinished(async () => {
      stop.abort();
      await going.catch(() => {});
    });
    const { page, go } = await openPage(browser(), { runs: [folder] });
    await go('#/runs');
    await page.getByRole('link', { name: 'going' }).click();
    await page.getByText(/Going: \d of 6 episodes/).waitFor();
    open?.();
    await going;
    await page.getByText(/Going:/).waitFor({ state: 'detached' });
    await page.locator('a.cell').nth(5).waitFor();
  });

  test('U7: an exported site opens from file://, with all its pages', async () => {
    const out = join(makeFolder(), 'site');
    await exportSite({ runs: [await playTwo()], out });
    const page = await (await openContext(browser())).newPage();
    const complaints: string[] = [];
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await page.goto(pathToFileURL(join(out, 'index.html')).href);
    await page.getByRole('link', { name: 'half' }).click();
    await page.getByRole('button', { name: /^Failed/ }).click();
    await page.locator('a.cell.failed').first().click();
    await page
      .locator('.reading')
      .getByText(/submit\(/)
      .waitFor();
    await page.getByRole('link', { name: 'Runs', exact: true }).first().click();
    for (const name of ['same-answer', 'half']) await page.getByRole('checkbox', { name: `Compare ${name}` }).check();
    await page.getByRole('button', { name: 'Compare the two' }).click();
    await page.locator('.scatter').waitFor();
    await page.locator('.row.compared-task:not(.head) b.num').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('U6: the lint runs with progress, and its findings can be read', async () => {
    const { page, go } = await openPage(browser(), { server: { environments: [gsm8k] } });
    await go('#/checks');
    await page.getByRole('button', { name: 'Start: Lint' }).click();
    await page.locator('.finding').first().waitFor();
    await page.locator('.progress').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /passed/ }).click();
    expect(await page.locator('.finding').first().innerText()).toContain('✓ passed');
  });
});
