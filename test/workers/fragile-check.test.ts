import { fileURLToPath } from 'node:url';
import { createServer } from 'tiltyard/server';
import { expect, test } from 'vitest';
import { newFolder } from '../journal/folders.ts';
import { client } from '../support/http.ts';

const modules = [fileURLToPath(new URL('./fragile-module.ts', import.meta.url))];

test('a call whose process dies while its input is checked is announced, and runs once in the next one', async () => {
  await using server = await createServer({ workers: { modules, count: 1 }, logger: false });
  const { create, call } = client(await server.listen());
  const sid = await create();
  const mark = `${newFolder()}-mark`;
  const { taskId, result, error } = await call(sid, 'add', { mark }, { env: 'brittle' });
  expect(error).toBeUndefined();
  expect(taskId).toMatch(/^[0-9a-f]{32}$/);
  expect(result).toMatchObject({ ok: true, output: { blocks: [{ text: '1' }] } });
}, 30_000);
