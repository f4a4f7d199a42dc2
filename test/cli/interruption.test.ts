import { join } from 'node:path';
import { environment, tool, toolkit } from 'tiltyard';
import { expect, test } from 'vitest';
import { folderWith, run, untilPrinted } from '../support/command.ts';
import { startServer } from '../support/http.ts';

// Tools that never end, whatever their signal says; they tell when they have begun.
const DEAF = `
import { environment, tool, toolkit } from 'tiltyard';
const wait = () => {
  process.stderr.write('begun\\n');
  return new Promise(() => {});
};
export const deaf = environment({
  name: 'deaf',
  splits: { train: [{}] },
  prompt: () => '',
  tools: { wait: { run: wait } },
  teardown: () => void process.stderr.write('torn down\\n'),
});
export const kit = toolkit({ name: 'Kit', tools: { Wait: tool({ run: wait }) } });`;

// What a tool may take to clean up, and some more for a busy machine; by default a server waits five seconds, or ten.
const SOON_MS = 4_000;

test.each([
  ['wait', 'SIGTERM', /torn down/],
  ['wait', 'SIGINT', /torn down/],
  ['Kit.Wait', 'SIGTERM', /begun/],
] as const)('a waiting call of %s in a module ends at the first %s', async (name, signal, told) => {
  const folder = await folderWith({ 'deaf.mts': DEAF });
  const call = run(['call', join(folder, 'deaf.mts'), name]);
  await untilPrinted(call, /begun/);
  const sentAt = Date.now();
  call.child.kill(signal);
  expect(await call.exit).toBe(130);
  expect(Date.now() - sentAt).toBeLessThan(SOON_MS);
  expect(call.output()).toMatch(told);
  expect(call.output()).toMatch(/tiltyard: interrupted\n$/);
});

test('a waiting call on a server ends at the first SIGTERM, and so does its session', async () => {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  let tearDown = () => {};
  const tornDown = new Promise<void>((resolve) => (tearDown = resolve));
  const wait = () => {
    begin();
    return new Promise<string>(() => {});
  };
  const { url } = await startServer({
    environments: [
      environment({
        name: 'deaf',
        splits: { train: [{}] },
        prompt: () => '',
        tools: { wait: { run: wait } },
        teardown: () => tearDown(),
      }),
    ],
    toolkits: [toolkit({ name: 'Kit', tools: { Wait: tool({ run: wait }) } })],
  });
  const call = run(['call', url, 'wait']);
  await begun;
  const sentAt = Date.now();
  call.child.kill('SIGTERM');
  expect(await call.exit).toBe(130);
  expect(Date.now() - sentAt).toBeLessThan(SOON_MS);
  await tornDown;
});
