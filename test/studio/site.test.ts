import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { rollouts } from 'tiltyard/rollouts';
import { expect, test } from 'vitest';
import type { EpisodeDetail, RunHead, StaticSite, TaskTable } from '../../src/studio/api.ts';
import { exportSite } from '../../src/studio/index.ts';
import { questions, serveQuiz, solve } from '../rollouts/quiz.ts';
import { temporaryFolder } from '../support/folder.ts';
import { filesOf } from '../support/runs.ts';
import { openStudio } from './studio-client.ts';

const folder = () => temporaryFolder('tiltyard-site-');

/** A page as the build makes it, as far as an export looks at it. */
async function builtPage(): Promise<string> {
  const page = folder();
  await mkdir(join(page, 'assets'));
  await writeFile(join(page, 'index.html'), 'for the server');
  await writeFile(join(page, 'static.html'), 'for file://');
  await writeFile(join(page, 'assets', 'page.js'), '1;');
  return page;
}

interface Loaded {
  readonly tiltyardSite: StaticSite;
  readonly tiltyardAnswers: Record<string, any>;
}

/** Loads data files as classic scripts, as the page does. */
async function load(site: string, paths: readonly string[]): Promise<Loaded> {
  const context = createContext({});
  for (const path of paths) runInContext(await readFile(join(site, 'data', `${path}.js`), 'utf8'), context);
  // Through JSON: objects of another context are equal to none of ours.
  return JSON.parse(runInContext('JSON.stringify({ tiltyardSite, tiltyardAnswers })', context));
}

test('U7: a site has the page and the same answers as the routes, and nothing of where it was', async () => {
  const root = folder();
  const hostile = { question: '</script><script>alert(1)</script>\u2028', answer: '1' };
  for (const [name, answer] of [
    ['one', '0'],
    ['two', '1'],
  ] as const) {
    const target = await serveQuiz([...questions(2), hostile]);
    await rollouts({ target, out: join(root, name), agent: { calls: [{ tool: 'submit', input: { answer } }] } });
  }
  const [out, page] = [join(folder(), 'site'), await builtPage()];
  let last: readonly [number, number] = [0, 0];
  const written = await exportSite({ runs: [root], out, page, onProgress: (...progress) => (last = progress) });
  expect(written).toEqual({ out, runs: 2, episodes: 6 });
  expect(last).toEqual([6, 6]);
  const files = await filesOf(out);
  expect(files.get('index.html')).toBe('for file://');
  expect([...files.keys()].filter((name) => !name.startsWith('data/')).sort()).toEqual([
    'assets/page.js',
    'index.html',
  ]);
  expect([...files.values()].join()).not.toContain(root);
  const { tiltyardSite, tiltyardAnswers: first } = await load(out, ['site', 'runs']);
  const [two, one] = first.runs as readonly RunHead[];
  const ids = [two?.id ?? '', one?.id ?? ''] as const;
  expect(tiltyardSite).toMatchObject({ tasksPerPage: 1_000, runs: ids });
  const studio = await openStudio({ runs: [root] });
  const { tiltyardAnswers: answers } = await load(out, [
    'site',
    `runs/${ids[0]}`,
    `runs/${ids[0]}/tasks/0`,
    `runs/${ids[0]}/episodes/2`,
    `runs/${ids[1]}/compare/${ids[0]}`,
    `runs/${ids[1]}/compare/${ids[0]}/tasks`,
  ]);
  const params = { run: ids[0] };
  const tasks = await studio.ask('GET /api/runs/:run/tasks', params, { query: { stop: 1_000 } });
  expect(answers[`runs/${ids[0]}/tasks/0`] as TaskTable).toEqual(tasks);
  const episode = await studio.ask('GET /api/runs/:run/episodes/:episode', { ...params, episode: 2 });
  expect(answers[`runs/${ids[0]}/episodes/2`] as EpisodeDetail).toEqual(episode);
  expect(JSON.stringify(episode)).toContain('</script><script>alert(1)</script>');
  expect(answers[`runs/${ids[1]}/compare/${ids[0]}`]).toMatchObject({ wins: 2, losses: 1 });
  expect(answers[`runs/${ids[1]}/compare/${ids[0]}/tasks`].rows).toHaveLength(3);
});

test('U7: nothing is written over, and half a site is not left', async () => {
  const root = folder();
  await rollouts({ target: await serveQuiz(questions(2)), out: join(root, 'run'), agent: { solve } });
  const page = await builtPage();
  const taken = folder();
  await writeFile(join(taken, 'mine.txt'), 'mine');
  await expect(exportSite({ runs: [root], out: taken, page })).rejects.toThrow(/is not empty/);
  expect([...(await filesOf(taken)).keys()]).toEqual(['mine.txt']);
  const out = folder();
  await expect(exportSite({ runs: [folder()], out, page })).rejects.toThrow(/there is no run/);
  await expect(exportSite({ runs: [root], out, page: folder() })).rejects.toThrow(/npm run build/);
  const controller = new AbortController();
  const stopped = exportSite({
    runs: [root],
    out,
    page,
    signal: controller.signal,
    onProgress: () => controller.abort(),
  });
  await expect(stopped).rejects.toThrow(/abort/i);
  expect((await filesOf(out)).size).toBe(0);
});
