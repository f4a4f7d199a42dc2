import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { openStudio } from './studio-client.ts';

test('a page that is built again is served without a restart, and nothing beside it is', async () => {
  const folder = temporaryFolder('tiltyard-built-');
  await writeFile(join(folder, 'secret.txt'), 'not of the page');
  const page = join(folder, 'page');
  const build = async (hash: string) => {
    await rm(page, { recursive: true, force: true });
    await mkdir(join(page, 'assets'), { recursive: true });
    await writeFile(join(page, 'assets', `index-${hash}.js`), hash);
    await writeFile(join(page, 'index.html'), `assets/index-${hash}.js`);
  };
  const { request } = await openStudio({ page });
  const unbuilt = await request('GET', '/');
  expect([unbuilt.status, unbuilt.body.error.advice]).toEqual([503, 'Run: npm run build']);
  for (const hash of ['one', 'two']) {
    await build(hash);
    const { text, headers } = await request('GET', '/');
    expect([text, headers.get('cache-control')]).toEqual([`assets/index-${hash}.js`, 'no-cache']);
    expect(await request('GET', `/${text}`)).toMatchObject({ status: 200, text: hash });
  }
  for (const path of ['/assets/index-one.js', '/assets', '/..%2fsecret.txt', '/assets%2f..%2f..%2fsecret.txt'])
    expect((await request('GET', path)).status, path).toBe(404);
});
