import { expect, test } from 'vitest';
import { folderWith, type Run, run, untilPrinted } from '../support/command.ts';

// Each part of the code of an author leaves an error behind that holds the secret: at once, later, and after an await.
const LEAVING = `
import { environment, tool, toolkit } from 'tiltyard';
const leave = (where, key) => {
  void Promise.reject(new Error('rejected in ' + where + ' with ' + key));
  setTimeout(() => { throw new Error('thrown in ' + where + ' with ' + encodeURIComponent(key)); });
};
export const leaving = environment({
  name: 'leaving',
  splits: { train: [{}] },
  setup({ secrets }) { leave('setup', secrets.KEY); return { key: secrets.KEY }; },
  prompt({ state }) { leave('prompt', state.key); return ''; },
  tools: {
    leave: { async run({}, { secrets }) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      leave('a tool', secrets.KEY);
      return 'left';
    } },
  },
  teardown({ state }) { leave('teardown', state.key); },
});
export const kit = toolkit({
  name: 'Leaving',
  tools: {
    Leave: tool({ description: 'Leaves.', requirements: { secrets: ['KEY'] }, run({}, { secrets }) {
      leave('a toolkit', secrets.KEY);
      return 'left';
    } }),
  },
});`;

const KEY = 'not/for anybody';

async function serve(): Promise<Run & { readonly url: string }> {
  const folder = await folderWith({ 'leaving.mjs': LEAVING });
  const server = run(['serve', `${folder}/leaving.mjs`, '--port', '0', '--json']);
  const [line] = await untilPrinted(server, /^\{.*"url".*\}$/m);
  return { ...server, url: JSON.parse(line).url };
}

test('what nobody catches is logged without the secrets of its episode, and with its session', async () => {
  const server = await serve();
  const post = (path: string, body: object) =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-session-id': 'a' },
      body: JSON.stringify(body),
    });
  await post('/create', { split: 'train', index: 0, secrets: { KEY } });
  await fetch(`${server.url}/leaving/prompt`, { headers: { 'x-session-id': 'a' } });
  expect(await (await post('/leaving/call', { name: 'leave', input: {} })).text()).toContain('left');
  await post('/delete', {});
  for (const where of ['setup', 'prompt', 'a tool', 'teardown'])
    for (const how of ['rejected', 'thrown'])
      await untilPrinted(server, new RegExp(`${how} in ${where} with \\[secret\\]`));
  const context = { secrets: [{ id: 'KEY', value: KEY }] };
  const request = { call_id: 'c', tool_id: 'Leaving.Leave', input: {}, context };
  expect((await post('/tools/call', { request })).status).toBe(200);
  for (const how of ['rejected', 'thrown'])
    await untilPrinted(server, new RegExp(`${how} in a toolkit with \\[secret\\]`));
  expect(server.output()).not.toContain(KEY);
  expect(server.output()).not.toContain(encodeURIComponent(KEY));
  const lines =
    server
      .output()
      .match(/^\{"level":50.*$/gm)
      ?.map((line) => JSON.parse(line)) ?? [];
  expect(lines).toHaveLength(10);
  for (const { sid, environment, tool, callId } of lines)
    expect(tool === undefined ? [sid, environment] : [callId, tool]).toEqual(
      tool === undefined ? ['a', 'leaving'] : ['c', 'Leaving.Leave@1.0.0'],
    );
  server.child.kill('SIGTERM');
  expect(await server.exit).toBe(0);
});
