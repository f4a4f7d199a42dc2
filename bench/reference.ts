import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { preparePython } from '../test/interop/python-environment.ts';
import type { BenchServer } from './child.ts';

// Linux counts processor time in hundredths of a second.
const TICK_MS = 10;

/** The official Python server, or why there is none. */
export async function startReference(): Promise<BenchServer | { readonly missing: string }> {
  let python: string;
  try {
    python = await preparePython();
  } catch (error) {
    return { missing: (error as Error).message };
  }
  const child = spawn(python, [fileURLToPath(new URL('servers/reference.py', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    port: Number(line),
    async cpuMs() {
      const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
      const [user = 0, system = 0] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13)
        .map(Number);
      return (user + system) * TICK_MS;
    },
    async stop() {
      child.stdin.end();
      await once(child, 'exit');
    },
    [Symbol.dispose]: () => child.stdin.end(),
  };
}
