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
import { gzipSync } from 'node:zlib';
import { withLock } from './lock.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
// What each part was made from, and of which files it consists. It goes with dist/, and not into the package.
const STAMP = '.stamp.json';
const SETTINGS = ['package.json', 'package-lock.json', 'scripts/build.mjs'];
const PARTS = [
  { name: 'code', folder: 'src', settings: [...SETTINGS, 'tsconfig.json', 'tsconfig.build.json'], makeIn: compileTo },
  // The page runs one file of the server's as well.
  { name: 'page', folder: 'ui', settings: [...SETTINGS, 'src/studio/select-tasks.ts'], makeIn: bundleTo },
].filter(({ folder }) => exists(join(ROOT, folder)));

if (!PARTS.every(isUpToDate))
  await withLock(join(ROOT, '.tmp-build.lock'), () => {
    for (const part of PARTS) if (!isUpToDate(part)) build(part);
  });
keepRunBits(DIST);

function isUpToDate(part) {
  const stamp = readStamps()[part.name];
  return stamp?.sources === fingerprint(part) && stamp.files.every((file) => exists(join(DIST, file)));
}

function build(part) {
  // Before it is made: a source that changes meanwhile makes the build out of date, not wrongly new.
  const sources = fingerprint(part);
  // Beside dist/, so that renaming works and source maps point to src/ from there as well.
  const made = mkdtempSync(join(ROOT, '.tmp-build-'));
  try {
    if (!part.makeIn(made)) {
      process.exitCode = 1;
      return;
    }
    keepRunBits(made);
    const files = filesIn(made);
    const stamps = { ...readStamps(), [part.name]: { sources, files } };
    writeFileSync(join(made, STAMP), JSON.stringify(stamps));
    // The page last, because it names the files that it needs.
    for (const file of files.sort(byPageLast)) replace(join(made, file), join(DIST, file));
    removeAllBut(Object.values(stamps).flatMap((stamp) => stamp.files));
    // Last, so that a build that was interrupted is out of date.
    replace(join(made, STAMP), join(DIST, STAMP));
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function compileTo(folder) {
  return runNode(binOf('typescript', 'bin/tsc'), ['-p', 'tsconfig.build.json', '--outDir', folder]);
}

/** Bundles the studio's page, and says how much a browser loads before it shows something. */
function bundleTo(folder) {
  const page = join(folder, 'studio/page');
  if (!runNode(binOf('vite', 'bin/vite.js'), ['build', 'ui', '--outDir', page, '--logLevel', 'error'])) return false;
  const first = filesIn(page).filter((file) => file !== 'static.html');
  const bytes = first.reduce((sum, file) => sum + gzipSync(readFileSync(join(page, file))).length, 0);
  console.log(`studio: the page is ${(bytes / 1024).toFixed(1)} KB gzipped`);
  return true;
}

function binOf(name, path) {
  return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), path);
}

function runNode(script, args) {
  return spawnSync(process.execPath, [script, ...args], { cwd: ROOT, stdio: 'inherit' }).status === 0;
}

/** A hash of all that a part depends on: contents rather than times, which a checkout changes. */
function fingerprint({ folder, settings }) {
  const hash = createHash('sha256');
  for (const file of settings) hash.update(read(join(ROOT, file)));
  const sources = filesIn(join(ROOT, folder)).filter((file) => !/\.test\.tsx?$/.test(file));
  for (const file of sources.sort()) hash.update(`\0${file}\0`).update(read(join(ROOT, folder, file)));
  return hash.digest('hex');
}

function byPageLast(one, other) {
  return Number(one.endsWith('.html')) - Number(other.endsWith('.html'));
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

function readStamps() {
  try {
    return JSON.parse(read(join(DIST, STAMP)));
  } catch {
    return {};
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
