import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

// No run takes this long: its process has died, and another one has its number.
const LONGEST_MS = 120_000;

/** Runs something while no other process does, on this machine. */
export async function withLock(path, run) {
  while (!take(path)) {
    if (isStale(path)) rmSync(path, { force: true });
    else await pause(50);
  }
  try {
    return run();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

function isStale(path) {
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  return age > LONGEST_MS || !isRunning(holderOf(path));
}

/** Undefined also while it is being written. */
function holderOf(path) {
  try {
    return Number(readFileSync(path, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid) {
  try {
    return pid === undefined || process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
