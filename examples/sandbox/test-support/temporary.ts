import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';

/** Gives a test file a temporary directory of its own, and fails every test that leaves something in it. */
export function ownTemporaryDirectory(): { readonly path: string } {
  const directory = { path: '' };
  beforeAll(async () => {
    directory.path = await mkdtemp(join(tmpdir(), 'tiltyard-test-'));
    vi.stubEnv('TMPDIR', directory.path);
  });
  afterEach(async () => expect(await readdir(directory.path), 'left behind').toEqual([]));
  afterAll(async () => {
    vi.unstubAllEnvs();
    await rm(directory.path, { recursive: true });
  });
  return directory;
}
