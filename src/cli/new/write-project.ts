import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Failure } from '../shared/failure.ts';

/** Why a project cannot go into a folder; undefined if it can. */
export function occupationOf(folder: string): string | undefined {
  const found = entriesOf(folder);
  if (found === 'a file') return `${folder} is not a folder, or is inside a file. Choose another`;
  if (found === undefined || found.length === 0) return undefined;
  return `${folder} is not empty: it contains ${found[0]}. Choose a folder that is empty or does not exist`;
}

/**
 * Writes the files of a project. They are written beside their place first and then moved, so that whatever fails or
 * interrupts it leaves nothing half done.
 */
export async function writeProject(
  folder: string,
  files: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const target = resolve(folder);
  const exists = entriesOf(folder) !== undefined;
  const parent = exists ? target : dirname(target);
  const made: string[] = [];
  let staging: string | undefined;
  try {
    const firstMade = await mkdir(parent, { recursive: true });
    if (firstMade !== undefined) made.push(firstMade);
    staging = await mkdtemp(join(parent, '.tiltyard-new-'));
    // Inside it, because a temporary folder is closed to other users and a project is not.
    const project = join(staging, 'project');
    await mkdir(project);
    for (const [name, text] of files) await writeFile(join(project, name), text);
    signal.throwIfAborted();
    // A folder that exists may be where a shell stands: it is filled, not replaced.
    const names = exists ? [...files.keys()] : [''];
    for (const name of names) {
      await rename(join(project, name), join(target, name));
      made.push(join(target, name));
    }
  } catch (thrown) {
    for (const path of made) await rm(path, { recursive: true, force: true });
    if (thrown instanceof Failure) throw thrown;
    throw new Failure(`could not create the project in ${folder}`, undefined, { cause: thrown });
  } finally {
    if (staging !== undefined) await rm(staging, { recursive: true, force: true });
  }
}

/** What a folder holds; undefined if it is not there. */
function entriesOf(folder: string): readonly string[] | 'a file' | undefined {
  try {
    // Somebody who begins with `git init` has a folder that is as good as empty.
    return readdirSync(folder).filter((name) => name !== '.git');
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ENOTDIR') return 'a file';
    throw new Failure(`cannot read ${folder}`, undefined, { cause: thrown });
  }
}
