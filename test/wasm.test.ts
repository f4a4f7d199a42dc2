import { expect, test } from 'vitest';
import { ROOT } from './support/command.ts';
import { skipAloud } from './support/needed.ts';
import { runToEnd } from './support/program.ts';
import { registryProblem } from './support/tarball.ts';

const problem = await registryProblem();
if (problem !== undefined) skipAloud('the module of WebAssembly', problem);

test.skipIf(problem !== undefined)('the module that ships is what its text makes', async () => {
  const { code, text } = await runToEnd(ROOT, 'node', ['scripts/wasm.mjs', '--check']);
  expect([code, text]).toEqual([0, expect.any(String)]);
});
