import { constants } from 'node:fs';
import { lstat, mkdir, mkdtemp, open, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { ToolError } from 'tiltyard';

const MAX_READ_BYTES = 64 * 1024;

/** Makes a temporary directory with the given files, by name; leaves nothing behind if it cannot. */
export async function createWorkspace(files: Readonly<Record<string, string>>): Promise<string> {
  // The real path, since the temporary directory of some systems is a link.
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'tiltyard-sandbox-')));
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
    return directory;
  } catch (thrown) {
    await removeWorkspace(directory);
    throw thrown;
  }
}

/** Removes the directory with everything in it. */
export async function removeWorkspace(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
}

/** The text of a file of the directory, at most 64 KB of it. */
export function readInside(directory: string, path: string): Promise<string> {
  return withToolErrors(path, async () => {
    // NONBLOCK: opening a named pipe would otherwise wait for a writer for ever.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    await using file = await open(await resolveInside(directory, path), flags);
    const { size } = await assertFile(file, path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, MAX_READ_BYTES)));
    const text = buffer.toString('utf8', 0, bytesRead);
    return size > bytesRead ? `${text}\n[cut: ${bytesRead} of ${size} bytes shown]` : text;
  });
}

/** Writes a file of the directory, and makes the folders above it. */
export function writeInside(directory: string, path: string, content: string): Promise<void> {
  return withToolErrors(path, async () => {
    const target = await resolveInside(directory, path);
    await mkdir(dirname(target), { recursive: true });
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    await using file = await open(target, flags);
    await assertFile(file, path);
    await file.truncate();
    await file.writeFile(content);
  });
}

/** The real path of something in the directory, whether it exists or not; refuses every way out. */
async function resolveInside(directory: string, path: string): Promise<string> {
  if (isAbsolute(path) || path.split(/[\\/]/).includes('..')) throw outside(path);
  const real = await realPath(join(directory, path));
  if (real !== directory && !real.startsWith(directory + sep)) throw outside(path);
  return real;
}

async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    // A link to nothing would create its target when it is written to.
    if (codeOf(error) !== 'ENOENT' || (await isLink(path))) throw error;
    return join(await realPath(dirname(path)), basename(path));
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function outside(path: string): ToolError {
  return new ToolError(`'${path}' is outside of the working directory. Give a relative path without '..'`);
}

interface Statable {
  stat(): Promise<{ isFile(): boolean; readonly size: number }>;
}

async function assertFile(file: Statable, path: string): Promise<{ readonly size: number }> {
  const stats = await file.stat();
  if (!stats.isFile()) throw new ToolError(`'${path}' is not a file`);
  return stats;
}

// What a model can do something about; everything else is a failure of the machine.
const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a directory',
  ENOTDIR: 'leads through something that is not a directory',
  EEXIST: 'leads through something that is not a directory',
  ELOOP: 'leads through links that do not end',
  EACCES: 'may not be opened',
  ENAMETOOLONG: 'is too long a name',
  ENXIO: 'is not a file',
  ERR_INVALID_ARG_VALUE: 'is not a path',
};

async function withToolErrors<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const problem = PROBLEMS[codeOf(error)];
    throw problem === undefined ? error : new ToolError(`'${path}' ${problem}`, { cause: error });
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? '';
}
