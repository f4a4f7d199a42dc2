import { PNG } from 'pngjs';
import { createServer } from 'tiltyard/server';
import { expect, test } from 'vitest';
import { gridworld } from '../gridworld/environment.ts';
import { walk } from './walk.ts';

test('a client of MCP plays gridworld, and sees its pictures', async () => {
  await using server = await createServer({ environments: [gridworld], mcp: true, logger: false });
  const url = await server.listen();
  const { task, steps, pictures, end } = await walk(`${url}/mcp/gridworld?split=test&index=0&episode=1`);
  expect(task).toContain('Walk to the goal');
  expect(pictures).toHaveLength(steps);
  expect(PNG.sync.read(Buffer.from(pictures[0] as Uint8Array)).width).toBeGreaterThan(100);
  expect(end).toContain('The episode has ended');
});
