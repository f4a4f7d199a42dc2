import { readFileSync } from 'node:fs';

/** Whether a process of this machine is running, also one of another user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** The same for the process that was started then, as `startOf` told it: process ids come again. */
export function isStillRunning(pid: number, started: string | null): boolean {
  if (!isRunning(pid)) return false;
  const now = startOf(pid);
  // Where the system does not tell, it may be the same one.
  return started === null || now === null || now === started;
}

/** When a process was started, as Linux counts; null elsewhere. */
export function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program comes second, in brackets, and may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null; // Not Linux, or gone.
  }
}
