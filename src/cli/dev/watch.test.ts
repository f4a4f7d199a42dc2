import { pbkdf2 } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { Watch } from './watch.ts';

async function watched() {
  const folder = await mkdtemp(join(tmpdir(), 'tiltyard-watch-'));
  const watch = new Watch((error) => expect(error).toBeUndefined());
  onTestFinished(async () => {
    await watch[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  return { watch, file: join(folder, 'later.ts') };
}

/** Gives all threads that Node looks at files with something else to do for a moment, as a busy machine does. */
function occupyThreads(): Promise<unknown> {
  const work = promisify(pbkdf2);
  return Promise.all(Array.from({ length: 8 }, () => work('', '', 50_000, 32, 'sha256')));
}

test('a file that comes the moment after it was missed is noticed, and so are its changes', async () => {
  const { watch, file } = await watched();
  const occupied = occupyThreads();
  watch.add(file);
  writeFileSync(file, 'one');
  await watch.changed();
  expect(watch.take()).toEqual([file]);
  await occupied;
  writeFileSync(file, 'two');
  await watch.changed();
  expect(watch.take()).toEqual([file]);
});
