import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { environment, step, ToolError } from 'tiltyard';
import { RecordWriter } from 'tiltyard/records';
import { z } from 'zod';
import type { Scene, ScenePage } from './scene.ts';

const WORDS = 'a lance over the barrier, and a rider who has trained for it all summer'.split(' ');
const LONG_WORD = 'https://example.com/'.padEnd(240, 'a-path-without-any-place-to-break-');

/** Headings, lists, code, a table, and lines that cannot be broken: 100 KB of it. */
const LONG_PROMPT = Array.from({ length: 120 }, (_, part) =>
  [
    `## Part ${part + 1}`,
    Array.from({ length: 90 }, (__, at) => WORDS[(at * 7 + part) % WORDS.length]).join(' '),
    '- first\n- second, with `code`\n- third',
    '| tool | reward |\n|---|---|\n| move | 0.25 |\n| submit | 1 |',
    part % 10 === 0 ? LONG_WORD : '```\nfor (const step of steps) play(step);\n```',
  ].join('\n\n'),
).join('\n\n');

const manyTools = Object.fromEntries(
  Array.from({ length: 50 }, (_, at) => [
    at === 7
      ? 'a_tool_with_a_name_that_is_as_long_as_names_may_be_and_then_some'
      : `tool_${String(at).padStart(2, '0')}`,
    {
      description: at % 5 === 0 ? `Does ${WORDS.slice(at % 7).join(' ')}. `.repeat(6) : `Does thing ${at}.`,
      input: z.object({
        text: z.string().describe('what it is about'),
        mode: z.enum(['fast', 'slow', 'careful']).optional(),
        options: z.object({ depth: z.int().min(0).max(9).default(3), isDry: z.boolean() }).optional(),
        paths: z.array(z.string()).optional(),
      }),
      run: () => step('done', { reward: at % 3 === 0 ? -0.5 : 0.25 }),
    },
  ]),
);

const crowded = environment({
  name: 'crowded',
  splits: { train: [{ about: LONG_WORD, nested: { deep: [1, 2, { more: true }] } }] },
  prompt: () => LONG_PROMPT,
  tools: manyTools,
});

const bare = environment({
  name: 'an-environment-with-a-long-name-and-without-any-tools',
  splits: { train: [{}], none: [] },
  prompt: () => '',
  tools: { hidden: { description: 'For other tasks.', shared: false, run: () => 'never' } },
  taskTools: () => [],
});

const troubled = environment({
  name: 'troubled',
  splits: { train: [{ question: 'What can go wrong?' }] },
  prompt: ({ task }) => task.question,
  tools: {
    told: {
      description: 'Reports a failure to the model.',
      run: () => {
        throw new ToolError('The file /data/input.csv does not exist. Choose one of: a.csv, b.csv.');
      },
    },
    broken: {
      description: 'Throws.',
      run: () => {
        throw new Error('first line\nsecond line');
      },
    },
    long: { description: 'Says much.', run: () => `${LONG_WORD}\n${'many words '.repeat(4_000)}` },
    picky: { description: 'Takes a number.', input: z.object({ count: z.int().min(1) }), run: () => 'ok' },
  },
});

/** What is at the edges: too much, nothing, failures, and what only files have. */
export async function makeExtremes(): Promise<{ readonly scenes: readonly Scene[] } & AsyncDisposable> {
  const records = await writeRecords();
  return {
    scenes: [
      { server: { environments: [crowded, bare, troubled] }, pages: CROWDED },
      { pages: EMPTY },
      { server: { environments: [bare], events: false }, pages: QUIET },
      { url: 'http://127.0.0.1:59999', pages: AWAY },
      { reports: [{ name: 'monday.json', report: REPORT }], records: [records], pages: FILES },
    ],
    [Symbol.asyncDispose]: () => rm(records, { recursive: true, force: true }),
  };
}

/** Some games, one of which has not ended, and a file that is no record. */
async function writeRecords(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tiltyard-records-'));
  for (const index of [0, 1, 2, 3]) {
    const writer = RecordWriter.open(join(folder, `game-${index}.jsonl`));
    const task = { question: 'What is behind the barrier?', level: index };
    writer.append({ type: 'episode', by: 'play', environment: 'crowded', split: 'train', index, task });
    writer.append({ type: 'prompt', blocks: [{ type: 'text', text: LONG_PROMPT.slice(0, 900), detail: null }] });
    writer.append({ type: 'note', text: 'The rider was late.' });
    if (index > 0) writer.append({ type: 'end', outcome: index === 1 ? 'finished' : 'cancelled' });
    writer.close();
  }
  await writeFile(join(folder, 'notes.jsonl'), 'not a record\n');
  return folder;
}

const REPORT = {
  unit: 'call',
  servers: [
    {
      name: 'gsm8k',
      url: 'http://127.0.0.1:8080',
      perSecond: { median: 18_432, min: 17_210, max: 18_990 },
      completed: 92_160,
      failed: 12,
      latencyMs: { p50: 0.8, p90: 1.4, p99: 3.1, max: 17.5 },
      histogram: Array.from({ length: 40 }, (_, at) => [
        at / 8,
        (at + 1) / 8,
        Math.round(20_000 * Math.exp(-((Math.log((at + 1) / 7) / 0.6) ** 2))),
      ]),
    },
  ],
};

type Go = (hash: string) => Promise<void>;

const see = (name: string, hash: string, sight: string): ScenePage => ({
  name,
  async open(page, go) {
    await go(hash);
    await page.locator(sight).first().waitFor();
  },
});

const CROWDED: readonly ScenePage[] = [
  see('x crowded environment', '#/environments/t1/crowded?task=0', '.tree'),
  { name: 'x crowded play', open: (page, go) => begin(page, go, 'crowded') },
  { name: 'x form', open: openForm },
  { name: 'x no tools', open: (page, go) => begin(page, go, 'an-environment-with-a-long-name-and-without-any-tools') },
  see('x no tasks', '#/environments/t1/an-environment-with-a-long-name-and-without-any-tools?split=none', '.none-yet'),
  { name: 'x troubled', open: openTroubled },
  { name: 'x save', open: openSave },
];

const EMPTY: readonly ScenePage[] = [
  see('x no server', '#/environments', '.state'),
  see('x nothing to play', '#/play', '.state'),
  see('x nothing live', '#/live', '.state'),
  see('x no runs', '#/runs', '.state'),
  see('x nothing to check', '#/checks', '.state'),
  see('x unknown run', '#/runs/nobody', '.state'),
  see('x unknown page', '#/nowhere', '.state'),
];

const QUIET: readonly ScenePage[] = [see('x live is off', '#/live', '.state')];
const AWAY: readonly ScenePage[] = [see('x server away', '#/environments', '.state')];
const FILES: readonly ScenePage[] = [
  see('x records', '#/records', '.row.record:not(.head)'),
  {
    name: 'x record',
    async open(page) {
      await page.locator('.row.record:not(.head)').first().click();
      await page.locator('.reading').waitFor();
    },
  },
  {
    name: 'x bench report',
    async open(page, go) {
      await go('#/checks');
      await page.getByRole('link', { name: /monday/ }).click();
      await page.locator('.tiles').waitFor();
    },
  },
];

async function begin(page: Page, go: Go, name: string): Promise<void> {
  await go(`#/play?environment=${name}`);
  await page.getByRole('button', { name: new RegExp(`^Play ${name}`) }).click();
  await page.locator('.prompt .loading').waitFor({ state: 'detached' });
  await page.locator('.composer').waitFor();
}

async function openForm(page: Page): Promise<void> {
  await page.getByLabel('Search the tools').fill('as long as');
  await page.getByLabel('Search the tools').fill('then_some');
  await page.getByRole('radio').first().click();
  await page.locator('.composer button.primary').click();
  await page.locator('.composer .error').first().waitFor();
}

async function openTroubled(page: Page, go: Go): Promise<void> {
  await begin(page, go, 'troubled');
  for (const [at, tool] of ['told', 'broken', 'long'].entries()) {
    await page.getByRole('radio', { name: tool }).click();
    await page.locator('.composer button.primary').click();
    await page.locator('.step').nth(at).locator('.reward').waitFor();
  }
  await page.getByRole('radio', { name: 'picky' }).click();
  await page.getByRole('tab', { name: 'JSON' }).click();
  await page.getByLabel('Input of picky as JSON').fill('{ "count": 0 }');
  await page.locator('.composer button.primary').click();
  await page.locator('.step').nth(3).locator('.reward').waitFor();
}

async function openSave(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save as…' }).click();
  await page.locator('dialog pre').waitFor();
}
