import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning } from '../../src/core/index.ts';
import { killAtTheEnd, ROOT } from '../support/command.ts';

const PROGRAM = `
const { startChild } = await import('./bench/child.ts');
console.log((await startChild('bare')).pid);
`;

test('a server does not outlive a benchmark or a proof that is killed', { timeout: 60_000 }, async () => {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', PROGRAM];
  const bench = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  killAtTheEnd(bench);
  const [printed] = await once(bench.stdout, 'data');
  const pid = Number(printed);
  expect(pid).toBeGreaterThan(0);
  onTestFinished(() => void (isRunning(pid) && process.kill(pid, 'SIGKILL')));
  bench.kill('SIGKILL');
  await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
});
