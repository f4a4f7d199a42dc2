import { expect, test } from 'vitest';
import { ROOT } from '../support/command.ts';
import { runToEnd } from '../support/program.ts';

test.each([
  ['soak', 'CALLS', 'abc', 1],
  ['soak', 'SESSIONS', '1e3', 1],
  ['chaos', 'SECONDS', 'abc', 1],
  ['chaos', 'SEED', '-1', 0],
  ['chaos-durable', 'EPISODES', '0', 1],
  ['chaos-durable', 'KILLS', 'many', 0],
  ['fuzz', 'REQUESTS', '0', 1],
  ['fuzz', 'CONNECTION', '', 0],
])('%s refuses %s=%s', async (proof, name, value, least) => {
  const command = [`${name}=${value}`, process.execPath, '--import', 'tsx', `proof/${proof}.ts`];
  const { code, text } = await runToEnd(ROOT, 'env', command);
  expect(code).toBe(2);
  expect(text).toContain(`${name} must be a whole number from ${least}, not '${value}'\n`);
});
