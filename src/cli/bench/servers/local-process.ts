import { readdir, readFile, readlink } from 'node:fs/promises';
import type { UsageMeter, UsageReading } from './usage.ts';

// The kernel counts processor time for other processes in hundredths of a second, on every architecture Node runs on.
const TICK_MS = 10;

/**
 * The processes that listen on a port of this machine, on Linux and as far as this user may look; undefined elsewhere.
 * Several, where workers share a socket.
 */
export async function findLocalProcess(port: number): Promise<UsageMeter | undefined> {
  if (process.platform !== 'linux') return undefined;
  const sockets = new Set([
    ...toListening(await readOrNothing('/proc/net/tcp'), port),
    ...toListening(await readOrNothing('/proc/net/tcp6'), port),
  ]);
  if (sockets.size === 0) return undefined;
  const pids = await findHolders(sockets);
  return pids.length === 0 ? undefined : { read: () => readAll(pids) };
}

/** The sockets that listen on a port, by their inode, from the kernel's table. */
export function toListening(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(suffix) === true && state === LISTENING)
    .map((fields) => `socket:[${fields[9]}]`);
}

const LISTENING = '0A';

/** Processor time and memory from the kernel's files of a process. */
export function toReading(stat: string, status: string): UsageReading | undefined {
  // The name is in parentheses and may have spaces and parentheses of its own: counting begins after the last.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  const kilobytes = Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1]);
  if (![user, system, kilobytes].every(Number.isFinite)) return undefined;
  return { cpuMs: (user + system) * TICK_MS, memoryBytes: kilobytes * 1024 };
}

async function findHolders(sockets: ReadonlySet<string>): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const holds = await Promise.all(pids.map((pid) => isHolder(pid, sockets)));
  return pids.filter((_, index) => holds[index]);
}

async function isHolder(pid: string, sockets: ReadonlySet<string>): Promise<boolean> {
  try {
    for (const name of await readdir(`/proc/${pid}/fd`)) {
      // A file may be closed between the listing and this.
      const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => '');
      if (sockets.has(target)) return true;
    }
  } catch {
    // Of another user, or ended: not ours to look at.
  }
  return false;
}

async function readAll(pids: readonly string[]): Promise<UsageReading | undefined> {
  const readings = await Promise.all(
    pids.map(async (pid) =>
      toReading(await readOrNothing(`/proc/${pid}/stat`), await readOrNothing(`/proc/${pid}/status`)),
    ),
  );
  const known = readings.filter((reading) => reading !== undefined);
  if (known.length === 0) return undefined;
  return {
    cpuMs: known.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    memoryBytes: known.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  };
}

async function readOrNothing(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
