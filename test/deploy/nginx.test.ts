import { setTimeout as pause } from 'node:timers/promises';
import { environment, step } from 'tiltyard';
import { connect } from 'tiltyard/client';
import { createServer, type Server } from 'tiltyard/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { freePort } from '../support/free-port.ts';
import { skipAloud } from '../support/needed.ts';
import { findNginx, startNginx } from './nginx.ts';

const EPISODES = 200;
const CALLS = 5;
const LARGE = 'a result that takes many events, äöü 🎲. '.repeat(2_000);
// As deploy/compose.yaml says.
const NOTICE_MS = 500;
// As docs/serving.md says.
const BETWEEN_RESTARTS_MS = 2_000;
const CLIENTS = 8;

const nginx = await findNginx();
if ('missing' in nginx) skipAloud('nginx in front of replicas', nginx.missing);
const name = 'missing' in nginx ? `behind nginx (skipped: ${nginx.missing})` : 'behind nginx';

function replica(which: string) {
  return environment({
    name: 'replicated',
    splits: { train: [{}] },
    setup: () => ({ calls: 0 }),
    prompt: () => which,
    tools: {
      count: {
        input: z.object({ wait: z.number() }),
        async run({ wait }, { state }) {
          await new Promise((resolve) => setTimeout(resolve, wait));
          state.calls += 1;
          return step(which, { reward: state.calls, metadata: { calls: state.calls } });
        },
      },
      large: { run: () => LARGE },
    },
  });
}

async function start(which: string, port = 0): Promise<Server> {
  const limits = { noticeMs: NOTICE_MS };
  const server = await createServer({ environments: [replica(which)], logger: false, pingMs: 100, limits });
  await server.listen({ port });
  return server;
}

test.skipIf('missing' in nginx)(
  `${EPISODES} episodes on two replicas ${name} are whole`,
  { timeout: 120_000 },
  async () => {
    await using one = await start('one');
    await using two = await start('two');
    await using proxy = await startNginx('path' in nginx ? nginx.path : '', [one.url, two.url]);
    const client = connect(proxy.url);
    const homes = await Promise.all(
      Array.from({ length: EPISODES }, async (_, episode) => {
        await using session = await client.session({ split: 'train', index: 0 });
        const [home] = await session.prompt();
        const texts = new Set([home?.type === 'text' ? home.text : '']);
        for (let call = 1; call <= CALLS; call += 1) {
          // Some wait for long enough that the stream needs its signs of life.
          const { text, reward } = await session.call('count', { wait: episode % 10 === 0 ? 250 : 1 });
          expect(reward).toBe(call);
          texts.add(text);
        }
        expect((await session.call('large', {})).text).toBe(LARGE);
        expect(texts.size).toBe(1);
        return [...texts][0];
      }),
    );
    // A hash that sent all to one replica would pass the rest.
    expect(homes.filter((home) => home === 'one').length).toBeGreaterThan(EPISODES / 5);
    expect(homes.filter((home) => home === 'two').length).toBeGreaterThan(EPISODES / 5);
    for (const server of [one, two])
      expect(await (await fetch(`${server.url}/list_environments`)).json()).toEqual(['replicated']);
  },
);

test.skipIf('missing' in nginx)(`large headers, bodies and unknown sessions pass ${name} as they are`, async () => {
  await using one = await start('one');
  await using two = await start('two');
  await using proxy = await startNginx('path' in nginx ? nginx.path : '', [one.url, two.url]);
  const secrets = Buffer.from(JSON.stringify({ key: { value: 'x'.repeat(40_000) } })).toString('base64');
  const created = await fetch(`${proxy.url}/create`, {
    method: 'POST',
    headers: { 'x-session-id': 'large', 'x-secrets': secrets, 'content-type': 'application/json' },
    body: JSON.stringify({ task_spec: { filling: 'x'.repeat(15 * 1024 * 1024) } }),
  });
  expect(created.status).toBe(200);
  const tooLarge = await fetch(`${proxy.url}/create`, {
    method: 'POST',
    headers: { 'x-session-id': 'larger', 'content-type': 'application/json' },
    body: JSON.stringify({ task_spec: { filling: 'x'.repeat(16.5 * 1024 * 1024) } }),
  });
  // The server's own words, not those of nginx.
  expect([tooLarge.status, Object.keys((await tooLarge.json()) as object)]).toEqual([413, ['detail']]);
  const unknown = await fetch(`${proxy.url}/ping`, { method: 'POST', headers: { 'x-session-id': 'nobody' } });
  expect(unknown.status).toBe(404);
  for (const path of ['/metrics', '/metrics/', '/%6detrics', '//metrics/', '/metrics?all'])
    expect((await fetch(`${proxy.url}${path}`)).status, path).toBe(404);
});

test.skipIf('missing' in nginx)(
  `replicas ${name} that are restarted one after the other, 2 s apart, refuse nobody`,
  { timeout: 120_000 },
  async () => {
    const servers = [await start('one', await freePort()), await start('two', await freePort())] as [Server, Server];
    await using proxy = await startNginx('path' in nginx ? nginx.path : '', [servers[0].url, servers[1].url]);
    const statuses = new Map<number, number>();
    let isOver = false;
    const ask = async () => {
      while (!isOver) {
        const answer = await fetch(`${proxy.url}/create_session`, { method: 'POST' });
        await answer.text();
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        await pause(2);
      }
    };
    const asking = Array.from({ length: CLIENTS }, ask);
    for (const [index, server] of servers.entries()) {
      await pause(BETWEEN_RESTARTS_MS);
      await server.close();
      // Gone for long enough that nginx meets it closed more often than `max_fails`.
      await pause(200);
      servers[index] = await start(`new ${index}`, Number(new URL(server.url).port));
    }
    isOver = true;
    await Promise.all(asking);
    await Promise.all(servers.map((server) => server.close()));
    expect([...statuses.keys()]).toEqual([200]);
    expect(statuses.get(200)).toBeGreaterThan(100);
  },
);
