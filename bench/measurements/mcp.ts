import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Verdict } from '../verdicts.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [WARM, CALLS, AT_A_TIME] = [300, 2_000, 8];
// Clock ticks per second on Linux, which counts a process's time in them.
const TICKS = 100;

/** What a call over MCP takes of the server's processor: the SDK makes a server and two streams for each request. */
export async function measureMcp(): Promise<Verdict[]> {
  const server = spawn(
    process.execPath,
    ['dist/cli/main.js', 'serve', 'bench/servers/counter.ts', '--mcp', '--port', '0', '--json'],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    const [line] = (await server.stdout.setEncoding('utf8')[Symbol.asyncIterator]().next()).value.split('\n');
    const { url } = JSON.parse(line) as { url: string };
    const pid = server.pid ?? 0;
    await callOften(url, 'warm', WARM);
    const before = processorMs(pid);
    await callOften(url, 'measured', CALLS);
    const ms = (processorMs(pid) - before) / CALLS;
    process.stdout.write(`\ncalls over MCP: ${ms.toFixed(2)} ms of the server's processor each\n`);
    return [{ what: 'M25: a call over MCP', found: `${ms.toFixed(2)} ms`, aim: 'at most 3 ms', isMet: ms <= 3 }];
  } finally {
    server.kill('SIGKILL');
  }
}

function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
}

/** Several episodes at a time, each of so many calls. */
async function callOften(url: string, name: string, calls: number): Promise<void> {
  const play = async (at: number) => {
    const address = `${url}/mcp/counter?split=ten&index=${at}&episode=${name}-${at}`;
    for (let id = 0; id < calls / AT_A_TIME; id += 1) await call(address, id);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, (_, at) => play(at)));
}

async function call(address: string, id: number): Promise<void> {
  const params = { name: 'add', arguments: { amount: 1, note: '' } };
  const response = await fetch(address, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
  });
  const text = await response.text();
  if (!text.includes('"tiltyard/reward":0.5')) throw new Error(`a call was answered with ${response.status}: ${text}`);
}
