import { environment, tool, toolkit } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { newFolder } from '../journal/folders.ts';
import { client } from '../support/http.ts';

const input = z.object({ value: z.any() });

const scales = environment({
  name: 'scales',
  durability: 'replay',
  splits: { train: [{}] },
  setup: () => ({ total: 0 }),
  prompt: () => 'Weigh.',
  tools: {
    weigh: {
      input,
      run({ value }, { state }) {
        state.total += Number(value);
        return String(state.total);
      },
    },
    divide: { input, run: ({ value }) => String(1 / value) },
  },
});
const kit = toolkit({
  name: 'Kit',
  tools: { Show: tool({ description: 'Shows.', input, run: ({ value }) => `${value}` }) },
});

const JSON_TYPE = { 'content-type': 'application/json' };

/** A server whose journal is in this folder. */
async function startIn(folder: string) {
  const server = await createServer({ environments: [scales], toolkits: [kit], journal: { folder }, logger: false });
  return { server, ...client(await server.listen()) };
}

test('J4: what cannot be written down is refused before it runs, so an episode goes on after a restart', async () => {
  const folder = newFolder();
  const first = await startIn(folder);
  const sid = await first.create({ env_name: 'scales', split: 'train', index: 0 });
  const weigh = '{"name":"weigh","input":{"value":1e400},"task_id":"huge"}';
  const refused = await first.request('POST', '/scales/call', { sid, raw: weigh, headers: JSON_TYPE });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("'input.value' is too large")]);
  const show = '{"request":{"tool_id":"Kit.Show","call_id":"huge","input":{"value":1e400}}}';
  const shown = await first.request('POST', '/tools/call', { raw: show, headers: JSON_TYPE });
  expect([shown.status, shown.text]).toEqual([400, expect.stringContaining("'request.input.value' is too large")]);
  await first.call(sid, 'weigh', { value: 1 }, { env: 'scales' });
  await first.server.close();
  const second = await startIn(folder);
  const { result } = await second.call(sid, 'weigh', { value: 2 }, { env: 'scales' });
  expect(JSON.stringify(result)).toContain('"3"');
  await second.server.close();
});

test('J4: minus zero reaches a tool as the zero that is written down, so an episode goes on after a restart', async () => {
  const folder = newFolder();
  const first = await startIn(folder);
  const sid = await first.create({ env_name: 'scales', split: 'train', index: 0 });
  const divide = '{"name":"divide","input":{"value":-0},"task_id":"minus"}';
  const divided = await first.request('POST', '/scales/call', { sid, raw: divide, headers: JSON_TYPE });
  expect(divided.text).toContain('"Infinity"');
  await first.server.close();
  const second = await startIn(folder);
  const { result } = await second.call(sid, 'weigh', { value: 2 }, { env: 'scales' });
  expect(JSON.stringify(result)).toContain('"2"');
  await second.server.close();
});
