import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { rollouts, type Solve } from 'tiltyard/rollouts';
import { createServer } from 'tiltyard/server';
import { gridworld } from '../../../examples/gridworld/environment.ts';
import { gsm8k, solve } from '../../../examples/gsm8k/environment.ts';
import { calculator } from '../../../examples/toolkit/toolkit.ts';
import type { PageOptions } from './open-page.ts';

/** A page of the studio, and the way to it. */
export interface ScenePage {
  readonly name: string;
  open(page: Page, go: (hash: string) => Promise<void>): Promise<void>;
}

/** Something to see, and the pages that show it. */
export interface Scene extends Omit<PageOptions, 'context'> {
  readonly pages: readonly ScenePage[];
}

/** Plays some runs, and lists all pages. */
export async function makeScene(): Promise<Scene & AsyncDisposable> {
  const runs = await mkdtemp(join(tmpdir(), 'tiltyard-scene-'));
  await using server = await createServer({ environments: [gsm8k], logger: false });
  await server.listen();
  const base = { target: server.url, split: 'train', n: 24, k: 4, retries: 0 };
  await rollouts({ ...base, out: join(runs, 'random-policy'), agent: 'random' });
  await rollouts({ ...base, out: join(runs, 'half-right'), agent: { solve: halfRight() } });
  await rollouts({ ...base, out: join(runs, 'always-right'), agent: { solve: (task) => solve(task as never) } });
  return {
    server: { environments: [gsm8k, gridworld], toolkits: [calculator] },
    runs: [runs],
    pages: PAGES,
    [Symbol.asyncDispose]: () => rm(runs, { recursive: true, force: true }),
  };
}

/** An agent that is right on some tasks always, on some never, and on some now and then. */
function halfRight(): Solve {
  let count = 0;
  return (task) => {
    count += 1;
    const right = solve(task as never);
    const isRight =
      String(task.question).length % 3 === 0 || (String(task.question).length % 3 === 1 && count % 2 === 0);
    return isRight ? right : right.map((call) => ({ ...call, input: { answer: '0' } }));
  };
}

const PAGES: readonly ScenePage[] = [
  { name: 'environments', open: (page, go) => visit(page, go, '#/environments/t1/gsm8k?task=3', '.tree') },
  { name: 'toolkits', open: (page, go) => visit(page, go, '#/environments/t1/~toolkits', '.tool-list') },
  { name: 'new episode', open: (page, go) => visit(page, go, '#/play', 'button.primary') },
  { name: 'play', open: openPlay },
  { name: 'branches', open: openBranches },
  { name: 'live', open: (page, go) => visit(page, go, '#/live', '.row.session:not(.head)') },
  { name: 'follow', open: openFollowed },
  { name: 'runs', open: (page, go) => visit(page, go, '#/runs', 'tbody tr') },
  { name: 'run', open: openRun },
  { name: 'episode', open: openEpisode },
  { name: 'compare', open: openCompared },
  { name: 'checks', open: (page, go) => visit(page, go, '#/checks', 'button.primary') },
  { name: 'check', open: openCheck },
];

async function visit(page: Page, go: (hash: string) => Promise<void>, hash: string, sight: string): Promise<void> {
  await go(hash);
  await page.locator(sight).first().waitFor();
}

async function openPlay(page: Page, go: (hash: string) => Promise<void>): Promise<void> {
  await visit(page, go, '#/play?environment=gridworld&index=0', 'button.primary');
  await page.getByRole('button', { name: 'Play gridworld' }).click();
  for (const [at, direction] of ['down', 'left', 'right', 'right', 'down'].entries()) {
    await page.getByRole('radio', { name: direction }).click();
    await page.keyboard.press('Control+Enter');
    await page.locator('.step').nth(at).locator('.reward').waitFor();
  }
}

async function openBranches(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Go on from here: after step 2' }).click();
  await page.locator('.step').nth(1).locator('.reward').waitFor();
  await page.getByRole('radio', { name: 'up' }).click();
  await page.keyboard.press('Control+Enter');
  await page.locator('.step').nth(2).locator('.reward').waitFor();
  await page.getByRole('link', { name: /^Compare with/ }).click();
  await page.locator('.pairs').waitFor();
}

async function openFollowed(page: Page): Promise<void> {
  await page.locator('.row.session:not(.head)').first().click();
  await page.getByRole('heading', { name: 'Steps' }).waitFor();
}

async function openRun(page: Page, go: (hash: string) => Promise<void>): Promise<void> {
  await visit(page, go, '#/runs', 'tbody tr');
  await page.getByRole('link', { name: 'half-right' }).click();
  await page.locator('a.cell').first().waitFor();
}

async function openEpisode(page: Page): Promise<void> {
  await page.locator('a.cell').first().click();
  await page.locator('.reading .step').first().waitFor();
}

async function openCompared(page: Page, go: (hash: string) => Promise<void>): Promise<void> {
  await visit(page, go, '#/runs', 'tbody tr');
  for (const name of ['half-right', 'always-right']) await page.getByRole('checkbox', { name }).check();
  await page.getByRole('button', { name: 'Compare the two' }).click();
  await page.locator('.scatter').waitFor();
}

async function openCheck(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Start: Lint' }).click();
  await page.locator('.finding').first().waitFor();
}
