import { join } from 'node:path';
import { environment, step, ToolError } from 'tiltyard';
import { type RescoredEpisode, rescore, rollouts } from 'tiltyard/rollouts';
import { createServer } from 'tiltyard/server';
import { expect, onTestFinished, test } from 'vitest';
import { runHere } from '../support/run-here.ts';
import { filesOf, runFolder } from '../support/runs.ts';

const KEY = 'ors-key-1234567890';
const TOKEN = 'token-of-a-gateway-42';
const SECRET = 'secret-of-an-episode';

/** A server that wants a key, and whose environment says it wherever it can. */
async function serveEcho(): Promise<string> {
  const said = `${KEY} and ${TOKEN} and ${SECRET}`;
  const echo = environment({
    name: 'echo',
    splits: { test: [{ id: 0, topic: said }] },
    prompt: () => `your key is ${said}`,
    tools: {
      refuse: {
        run: () => {
          throw new ToolError(`not with ${said}`);
        },
      },
      submit: { run: () => step(`it was ${said}`, { reward: 1, finished: true, metadata: { [said]: said } }) },
      fail: {
        run: () => {
          throw new Error(`broken by ${said}`);
        },
      },
    },
  });
  const options = { auth: { apiKeys: [KEY] }, returnErrors: 'stacktrace', logger: false } as const;
  const server = await createServer({ environments: [echo], ...options });
  onTestFinished(() => server.close());
  return server.listen();
}

async function expectNoKey(folder: string): Promise<void> {
  for (const [name, content] of await filesOf(folder))
    for (const secret of [KEY, TOKEN, SECRET]) expect(content.includes(secret), `${secret} in ${name}`).toBe(false);
}

// A secret of the episode may have the name of a key.
const HIDDEN = {
  secrets: { TILTYARD_API_KEY: SECRET },
  connect: { apiKey: KEY, headers: { Authorization: `Bearer ${TOKEN}` } },
};

test.each(['submit', 'fail'])(
  'Q16: no key of the server is in any file of a run, whatever its %s says',
  async (last) => {
    const out = runFolder();
    const agent = {
      calls: [
        { tool: 'refuse', input: {} },
        { tool: last, input: {} },
      ],
    };
    await rollouts({ target: await serveEcho(), out, agent, cluster: 'topic', retries: 0, ...HIDDEN });
    await expectNoKey(out);
  },
);

test('Q16: rescoring tells no key either, and does not take a hidden one for a difference', async () => {
  const out = runFolder();
  const target = await serveEcho();
  const agent = {
    calls: [
      { tool: 'refuse', input: {} },
      { tool: 'submit', input: {} },
    ],
  };
  await rollouts({ target, out, agent, ...HIDDEN });
  const told: RescoredEpisode[] = [];
  const onEpisode = (each: RescoredEpisode) => void told.push(each);
  expect(await rescore(out, { target, onEpisode, ...HIDDEN })).toMatchObject({ episodes: 1, differing: 0, meanNow: 1 });
  expect(JSON.stringify(told)).not.toContain(KEY);
});

test('Q1: no key of the server is in a recorded game, which is the same when it is replayed', async () => {
  const out = runFolder();
  const target = await serveEcho();
  const agent = {
    calls: [
      { tool: 'refuse', input: {} },
      { tool: 'submit', input: {} },
    ],
  };
  await rollouts({ target, out, agent, ...HIDDEN });
  const variables = { TILTYARD_API_KEY: KEY, SOME: SECRET, OTHER: TOKEN };
  const secrets = ['--secret', 'SOME', '--secret', 'OTHER'];
  const script = join(out, 'events', '0.1.jsonl');
  const record = join(out, 'game.jsonl');
  const played = await runHere(['play', target, '--script', script, '--record', record, ...secrets], variables);
  expect(played.output).toContain('it was');
  await expectNoKey(out);
  const replayed = await runHere(['replay', record, target, ...secrets], variables);
  expect(replayed.code, replayed.output).toBe(0);
});
