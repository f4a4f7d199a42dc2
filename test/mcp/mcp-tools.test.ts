import { type Environment, environment, step, tool, toolkit } from 'tiltyard';
import { type McpTools, mcpTools } from 'tiltyard/mcp';
import { createServer } from 'tiltyard/server';
import { play } from 'tiltyard/testing';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startServer } from '../support/http.ts';
import { startMcp } from './server.ts';

/** An environment whose tools are those of another server. */
function using(tools: McpTools, trace: string[] = []): Environment {
  return environment({
    name: 'borrowed',
    task: z.object({ goal: z.number() }),
    splits: { train: [{ goal: 7 }] },
    async setup({ signal }) {
      return { calculator: await tools.open({ signal }) };
    },
    prompt: ({ task }) => `Make ${task.goal}.`,
    tools: {
      ...tools.tools({
        connection: ({ state }) => state.calculator,
        returns: ({ tool: name, text, blocks }, { task }) => {
          trace.push(`${name} ${text}`);
          return step([...blocks], { reward: text === String(task.goal) ? 1 : 0 });
        },
      }),
      stop: { description: 'Stop.', run: () => step('Stopped.', { finished: true }) },
    },
    async teardown({ state }) {
      await state?.calculator.close();
      trace.push('closed');
    },
  });
}

test('tools of a server of MCP act in an environment: connected by setup, scored, closed by teardown', async () => {
  const { tools: url } = await startMcp();
  const borrowed = await mcpTools({ url, include: ['Calculator_Add', 'Calculator_Divide'] });
  expect(borrowed.names).toEqual(['Calculator_Add', 'Calculator_Divide']);
  const trace: string[] = [];
  {
    await using episode = await play(using(borrowed, trace), { split: 'train', index: 0 });
    expect(await episode.call('Calculator_Add', { a: 3, b: 4 })).toMatchObject({ text: '7', reward: 1 });
    await expect(episode.call('Calculator_Divide', { a: 3, b: 0 })).rejects.toThrow(/cannot divide by zero/);
    await expect(episode.call('Calculator_Add', { a: 'three' } as never)).rejects.toThrow(/validation/i);
    expect(await episode.call('stop', {})).toMatchObject({ finished: true });
  }
  expect(trace).toEqual(['Calculator_Add 7', 'closed']);
});

test('the list of tools is pinned by a hash: a server that has changed is noticed, now or when an episode begins', async () => {
  const numbers = z.object({ a: z.number() });
  const kit = (description: string) =>
    toolkit({ name: 'Kit', tools: { Twice: tool({ description, input: numbers, run: ({ a }) => a * 2 }) } });
  const start = async (description: string, port = 0) => {
    const server = await createServer({ toolkits: [kit(description)], mcp: true, logger: false });
    onTestFinished(() => server.close());
    return { server, url: `${await server.listen({ port })}/mcp/tools` };
  };
  const first = await start('Doubles.');
  const { hash } = await mcpTools({ url: first.url });
  const pinned = await mcpTools({ url: first.url, hash });
  const broken = using(pinned);
  await first.server.close();
  const changed = await start('Doubles, and tells everybody.', Number(new URL(first.url).port));
  await expect(mcpTools({ url: changed.url, hash })).rejects.toThrow(/have changed: their hash is/);
  await using episode = await play(broken, { split: 'train', index: 0 });
  await expect(episode.call('Kit_Twice', { a: 1 })).rejects.toThrow(/setup/);
});

test('what is not there is told when the environment is written', async () => {
  const { tools: url } = await startMcp();
  await expect(mcpTools({ url, include: ['Calculator_Ad'] })).rejects.toThrow(
    'has no tool Calculator_Ad (it has Calculator_Add',
  );
});

test('such an environment is served like any other, and its calls abort with their session', async () => {
  let aborted = () => {};
  const isAborted = new Promise<void>((resolve) => {
    aborted = resolve;
  });
  let started = () => {};
  const isStarted = new Promise<void>((resolve) => {
    started = resolve;
  });
  const slow = toolkit({
    name: 'Slow',
    tools: {
      Wait: tool({
        description: 'Wait.',
        run: (_input, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              aborted();
              reject(signal.reason);
            });
            started();
          }),
      }),
    },
  });
  const { tools: url } = await startMcp({ toolkits: [slow] });
  const { create, call, post } = await startServer({ environments: [using(await mcpTools({ url }))] });
  const sid = await create({ split: 'train', index: 0 });
  const waiting = call(sid, 'Slow_Wait', {}, { env: 'borrowed' });
  await isStarted;
  await post('/delete', undefined, { sid });
  await isAborted;
  await waiting;
});
