// Builds dist/, and only when it is out of date. Somebody may be running what is there (`npx tiltyard`, a test), so
// the compiler writes elsewhere, and each file takes the place of its former self in one step.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
// What the build was made from, and of which files it consists. It goes with dist/, and not into the package.
const STAMP = '.stamp.json';

if (!isUpToDate()) await withLock(join(ROOT, '.tmp-build.lock'), () => isUpToDate() || build());
keepRunBits(DIST);

function isUpToDate() {
  const stamp = readStamp();
  return stamp.sources === fingerprint() && stamp.files.every((file) => exists(join(DIST, file)));
}

function build() {
  // Before compiling: a source that changes meanwhile makes the build out of date, not wrongly new.
  const sources = fingerprint();
  // Beside dist/, so that renaming works and source maps point to src/ from there as well.
  const made = mkdtempSync(join(ROOT, '.tmp-build-'));
  try {
    if (!compileTo(made)) return;
    keepRunBits(made);
    const files = filesIn(made);
    writeFileSync(join(made, STAMP), JSON.stringify({ sources, files }));
    for (const file of files) replace(join(made, file), join(DIST, file));
    removeAllBut(files);
    // Last, so that a build that was interrupted is out of date.
    replace(join(made, STAMP), join(DIST, STAMP));
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function compileTo(folder) {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', folder];
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
  return status === 0;
}

/** A hash of all that the build depends on: contents rather than times, which a checkout changes. */
function fingerprint() {
  const hash = createHash('sha256');
  const sources = filesIn(join(ROOT, 'src')).filter((file) => !file.endsWith('.test.ts'));
  for (const file of ['tsconfig.json', 'tsconfig.build.json', 'package.json', 'package-lock.json', 'scripts/build.mjs'])
    hash.update(read(join(ROOT, file)));
  for (const file of sources.sort()) hash.update(`\0${file}\0`).update(read(join(ROOT, 'src', file)));
  return hash.digest('hex');
}

/** Makes the commands executable: `npx tiltyard` runs the file itself, and tsc writes it without the run bit. */
function keepRunBits(folder) {
  const { bin } = JSON.parse(read(join(ROOT, 'package.json')));
  const commands = Object.values(bin).map((path) => join(folder, path.replace('./dist/', '')));
  for (const command of commands.filter(exists)) chmodSync(command, 0o755);
}

function replace(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  renameSync(from, to);
}

/** What no source stands behind any more. */
function removeAllBut(files) {
  const kept = new Set([...files, STAMP]);
  for (const file of filesIn(DIST)) if (!kept.has(file)) rmSync(join(DIST, file), { force: true });
}

function readStamp() {
  try {
    return JSON.parse(read(join(DIST, STAMP)));
  } catch {
    return { sources: undefined, files: [] };
  }
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => isFile(join(folder, file)));
}

function isFile(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function exists(path) {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function read(path) {
  return exists(path) ? readFileSync(path, 'utf8') : '';
}
