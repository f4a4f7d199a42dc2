import Fastify from 'fastify';
import { type Toolkit, tool, toolkit } from 'tiltyard';
import { createServer, oxp } from 'tiltyard/server';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_LIMITS, silent } from '../../src/core/index.ts';
import { CallJournal, KeptTools, type ToolCallRecord } from '../../src/durable/index.ts';
import { JournalFull, MemoryJournal } from '../../src/journal/index.ts';
import { environments } from '../hosts/environments.ts';
import { newFolder } from '../journal/folders.ts';
import { toolClient } from '../oxp/support.ts';

function kitThat(counts: { runs: number }): Toolkit {
  const run = () => {
    counts.runs += 1;
    return counts.runs;
  };
  return toolkit({ name: 'Kit', tools: { Count: tool({ description: 'Counts.', run }) } });
}

/** Starts a server that answers, and closes it. */
async function served<Value>(
  toolkits: readonly Toolkit[],
  folder: string,
  { others = [] as typeof environments, use }: { others?: typeof environments; use: (url: string) => Promise<Value> },
): Promise<Value> {
  const limits = { drainMs: 0 };
  const server = await createServer({ toolkits, environments: others, journal: { folder }, limits, logger: false });
  onTestFinished(() => server.close());
  const value = await use(await server.listen());
  await server.close();
  return value;
}

test.each([
  ['of toolkits alone', []],
  ['of environments as well', environments],
])(
  'J14: a server %s that starts again is the same instance, and answers with the same bytes',
  async (_what, others) => {
    const counts = { runs: 0 };
    const kit = kitThat(counts);
    const folder = newFolder();
    const use = async (url: string) => {
      const { status, headers, text } = await toolClient(url).call({ call_id: 'a', tool_id: 'Kit.Count' });
      return { status, text, instance: headers.get('x-tiltyard-instance') };
    };
    const first = await served([kit], folder, { others, use });
    expect(first).toMatchObject({ status: 200, instance: expect.any(String) });
    expect(await served([kit], folder, { others, use })).toEqual(first);
    expect(counts.runs).toBe(1);
  },
);

test('a server of toolkits alone tells how far it has read its journal, as one of environments does', async () => {
  const folder = newFolder();
  const kit = kitThat({ runs: 0 });
  const use = async (url: string) => {
    for (const call_id of ['a', 'b', 'c']) await toolClient(url).call({ call_id, tool_id: 'Kit.Count' });
  };
  await served([kit], folder, { use });
  const told: unknown[] = [];
  const recovery = {
    progress: (done: number, all: number) => void told.push([done, all]),
    ended: (recovered: unknown) => void told.push(recovered),
  };
  await using _server = await createServer({ toolkits: [kit], journal: { folder, recovery }, logger: false });
  expect(told).toEqual([[0, 3], undefined]);
});

/** A journal on a full disk. */
class FullJournal extends MemoryJournal<ToolCallRecord> {
  override async replace(): Promise<void> {
    throw new JournalFull('no room');
  }
}

test.each([400, 503] as const)('J10: a call that cannot be written is told to come again, with %i', async (status) => {
  const counts = { runs: 0 };
  const limits = { ...DEFAULT_LIMITS, drainMs: 0, graceMs: 20 };
  const calls = new CallJournal(new FullJournal(), { ...limits, log: silent, onFenced() {} });
  const app = Fastify();
  onTestFinished(async () => {
    await app.close();
    await calls.close();
  });
  await app.register(oxp, {
    toolkits: [kitThat(counts)],
    limits,
    unavailableStatus: status,
    keeper: (runtime) => new KeptTools(runtime, calls, limits),
  });
  const { call } = toolClient(await app.listen());
  for (const _time of ['which finds out', 'after that']) {
    const answer = await call({ call_id: 'a', tool_id: 'Kit.Count' });
    expect(answer).toMatchObject({ status, json: { message: 'The server is temporarily unavailable' } });
    expect(answer.headers.get('retry-after')).toBe('5');
  }
  expect(await call({ tool_id: 'Kit.Count' })).toMatchObject({ status: 200 });
  expect(counts.runs).toBe(1);
});
