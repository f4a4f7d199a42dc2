import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openGallery } from './gallery.ts';

test('a file is named after the types that are known, whatever a server calls the type of its image', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tiltyard-gallery-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const gallery = openGallery(folder);
  for (const mimeType of ['image/png', 'constructor', '__proto__', 'image/../x'])
    await gallery.show({ type: 'image', data: '', mimeType, detail: null }, 'shot');
  expect((await readdir(folder)).sort()).toEqual(['001-shot.png', '002-shot.bin', '003-shot.bin', '004-shot.bin']);
});
