import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { quickClient, rejection } from '../support/client.ts';
import { shareServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';

// The platform's fetch gives up on answers that do not begin within five minutes; here it has far less patience.
const usual = getGlobalDispatcher();
const impatient = new Agent({ headersTimeout: 300 });

beforeAll(() => setGlobalDispatcher(impatient));

afterAll(async () => {
  setGlobalDispatcher(usual);
  await impatient.destroy();
});

// Of this server, as of the official one, nothing is heard of a call during setup.
const silent = { announceAfterMs: 29_000 };
const reading = shareServer(silent);
const choosing = shareServer(silent);
const refusing = shareServer({ ...silent, sessions: { clientTaskIds: 'refuse' } });
const hanging = shareServer({ environments: [minimal({ splits: { train: () => new Promise(() => {}) } })] });

const ONCE = { attempts: 1, pauseMs: 1, maxPauseMs: 1 };

// Longer than the platform's patience, whose clock is coarse.
const setup_ms = 2_500;

// Side by side: most of their time is waiting.
test.concurrent('K19: a prompt and tools that wait for setup outlast the patience of the platform', async () => {
  let asked = 0;
  const client = quickClient(reading(), {
    retry: ONCE,
    fetch(url, init) {
      if (url.endsWith('/prompt')) asked += 1;
      return fetch(url, init);
    },
  });
  await using session = await client.session({ task: { question: 'slow', setup_ms } });
  const [prompt, tools] = await Promise.all([session.prompt(), session.tools()]);
  expect(asked).toBeGreaterThan(1);
  expect(prompt).toMatchObject([{ text: 'math: slow' }, {}]);
  expect(tools.map(({ name }) => name)).toContain('hint');
  expect(reading().counters).toMatchObject({ setups: 1, prompts: 1 });
});

test.concurrent('K19: the first call on a server that takes no ids waits for setup as safely, and runs once', async () => {
  await using session = await quickClient(refusing(), { retry: ONCE }).session({ task: { setup_ms } });
  expect(await session.call('noargs')).toMatchObject({ text: 'nothing needed' });
  expect(refusing().counters.runs).toEqual({ noargs: 1 });
});

test.concurrent('K19: the first call on a server that takes ids is repeated under its id, and runs once', async () => {
  const retry = { ...ONCE, attempts: 20 };
  await using session = await quickClient(choosing(), { retry }).session({ task: { setup_ms } });
  expect(await session.call('noargs')).toMatchObject({ text: 'nothing needed' });
  expect(choosing().counters.runs).toEqual({ noargs: 1 });
});

test.concurrent('K19: what does not wait for setup is given up after the usual number of attempts', async () => {
  const client = quickClient(hanging(), { retry: { ...ONCE, attempts: 2 } });
  const error = await rejection(client.environment('minimal').count('train'));
  expect(error).toMatchObject({ name: 'MaxRetries', code: 'UND_ERR_HEADERS_TIMEOUT' });
});
