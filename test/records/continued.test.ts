import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from 'tiltyard/client';
import type { RecordEvent } from 'tiltyard/records';
import { createServer, type ServerOptions } from 'tiltyard/server';
import { expect, test } from 'vitest';
import { QUICK } from '../support/client.ts';
import { eventually } from '../support/clock.ts';
import { killAtTheEnd } from '../support/command.ts';
import { linesOf, logLines } from '../support/log-lines.ts';
import { serve } from '../workers/serve.ts';
import { counting, plain } from './counting.ts';
import { newFolder, onlyRecordIn } from './folders.ts';

function start(
  folder: string,
  limits: { readonly idleMs?: number } = {},
  environments = [counting],
  logger: ServerOptions['logger'] = false,
) {
  return createServer({
    environments,
    record: { folder: join(folder, 'records') },
    journal: { folder: join(folder, 'journal') },
    limits: { drainMs: 0, ...limits },
    logger,
  });
}

test('Q3: an episode that goes on after a restart of the server goes on in its record', async () => {
  const folder = newFolder();
  await using first = await start(folder);
  const client = connect(await first.listen(), { retry: QUICK });
  const session = await client.session({ split: 'train', index: 0 });
  await session.prompt();
  await session.call('add', {});
  await first.close();
  await using second = await start(folder);
  const again = connect(await second.listen(), { retry: QUICK })
    .environment('counting')
    .attach(session.sid);
  await again.prompt();
  expect((await again.call('add', {})).text).toBe('2');
  await second.app.inject({ method: 'POST', url: '/delete', headers: { 'x-session-id': session.sid } });
  await second.close();
  const events = await onlyRecordIn(join(folder, 'records'));
  expect(events.map(({ n }) => n)).toEqual(events.map((_, n) => n));
  expect(inShort(events)).toEqual([
    'episode',
    'prompt',
    'call',
    'result 1',
    'note suspended: the server stops, and the episode goes on at the next one',
    'note goes on after a restart of the server',
    'note its process was lost: it was built again in another (steps run again: 2)',
    'call',
    'result 2',
    'end 2',
  ]);
});

test.each([
  ['is deleted', { idleMs: 60_000 }],
  ['expires', { idleMs: 300 }],
])(
  'Q3: an episode that %s before anybody has asked for it since the restart has an end in its record',
  async (how, limits) => {
    const folder = newFolder();
    await using first = await start(folder);
    const session = await connect(await first.listen(), { retry: QUICK }).session({ split: 'train', index: 0 });
    await session.call('add', {});
    await first.close();
    await using second = await start(folder, limits);
    await second.listen();
    if (how === 'is deleted')
      await second.app.inject({ method: 'POST', url: '/delete', headers: { 'x-session-id': session.sid } });
    await eventually(async () => expect(inShort(await onlyRecordIn(join(folder, 'records'))).at(-1)).toBe('end 1'));
    await second.close();
    const events = await onlyRecordIn(join(folder, 'records'));
    expect(inShort(events)).toEqual([
      'episode',
      'call',
      'result 1',
      'note suspended: the server stops, and the episode goes on at the next one',
      'end 1',
    ]);
    expect(events.at(-1)).toMatchObject({ outcome: how === 'is deleted' ? 'cancelled' : 'expired', calls: 1 });
  },
);

test.each([
  ['whose environment the next server does not have', 'counting', [plain]],
  ['that keeps nothing, and whose server is killed', 'plain', [plain, counting]],
])('Q3: an episode %s has an end in its record', async (_which, name, next) => {
  const folder = newFolder();
  await liveAndDie(folder, 0, name);
  const records = join(folder, 'records');
  await using second = await start(folder, {}, next);
  await eventually(async () => expect((await onlyRecordIn(records)).at(-1)).toMatchObject({ type: 'end' }));
  await second.close();
  // To the next server it has ended: there is nothing more to tell.
  await using third = await start(folder, {}, next);
  await third.close();
  const events = await onlyRecordIn(records);
  // No note that it goes on: it does not.
  expect(inShort(events)).toEqual(['episode', 'call', 'result 1', 'end 1']);
  const times = events.map(({ at }) => at);
  expect(times).toEqual(times.toSorted());
  expect(events.at(-1)).toMatchObject({ outcome: 'env_error', stop: 'lost', fault: 'environment', calls: 1 });
});

test('Q3: a clean stop ends an episode that keeps nothing, and the next server has nothing to tell of it', async () => {
  const folder = newFolder();
  await using first = await start(folder, {}, [plain]);
  const session = await connect(await first.listen(), { retry: QUICK }).session({ split: 'train', index: 0 });
  await session.call('add', {});
  await first.close();
  const before = await onlyRecordIn(join(folder, 'records'));
  expect(before.at(-1)).toMatchObject({ type: 'end', outcome: 'cancelled', calls: 1 });
  const lines = logLines();
  await using second = await start(folder, {}, [plain], lines.logger);
  const headers = { 'x-session-id': session.sid };
  const answer = await second.app.inject({ method: 'GET', url: '/plain/prompt', headers });
  expect(answer.statusCode).toBe(410);
  expect(answer.body).toContain('ended because the server is stopping');
  await second.close();
  expect(await onlyRecordIn(join(folder, 'records'))).toEqual(before);
  // Neither a warning nor an error.
  expect(lines.text()).not.toMatch(/"level":[456]0/);
});

test('Q3: a record that has its end is complete, also if the journal does not know that its episode has ended', async () => {
  const folder = newFolder();
  await liveAndDie(folder, 0, 'plain');
  const [records, journal, copy] = [join(folder, 'records'), join(folder, 'journal'), join(folder, 'copy')];
  cpSync(journal, copy, { recursive: true });
  await using second = await start(folder, {}, [plain]);
  await eventually(async () => expect((await onlyRecordIn(records)).at(-1)).toMatchObject({ type: 'end' }));
  await second.close();
  const before = await onlyRecordIn(records);
  rmSync(journal, { recursive: true });
  renameSync(copy, journal);
  const lines = logLines();
  await using third = await start(folder, {}, [plain], lines.logger);
  await eventually(() => expect(linesOf(lines, 'session lost')).toHaveLength(1));
  await third.close();
  expect(await onlyRecordIn(records)).toEqual(before);
  expect(linesOf(lines, 'records are incomplete: events could not be written')).toEqual([]);
});

test('Q3: an episode that was finished before it was lost has finished, in its record as well', async () => {
  const folder = newFolder();
  await using first = await start(folder);
  const session = await connect(await first.listen(), { retry: QUICK }).session({ split: 'train', index: 0 });
  await session.call('stop', {});
  await first.close();
  await using _second = await start(folder, {}, [plain]);
  const last = async () => (await onlyRecordIn(join(folder, 'records'))).at(-1);
  const end = { type: 'end', outcome: 'finished', stop: 'finished', fault: 'none' };
  await eventually(async () => expect(await last()).toMatchObject(end));
});

test('Q3: after kill -9 the record has all that the journal has, however little was written before', async () => {
  const folder = newFolder();
  // Killed at once after the answer, and after a while: what was recorded before differs.
  await liveAndDie(folder, 0);
  const firstDeath = Date.now();
  for (const waitMs of [0, 150, 50]) await liveAndDie(folder, waitMs);
  await using server = await start(folder);
  const session = connect(await server.listen(), { retry: QUICK })
    .environment('counting')
    .attach('one');
  expect((await session.call('add', {})).text).toBe('5');
  await server.app.inject({ method: 'POST', url: '/delete', headers: { 'x-session-id': 'one' } });
  await server.close();
  const events = await onlyRecordIn(join(folder, 'records'));
  expect(events.map(({ n }) => n)).toEqual(events.map((_, n) => n));
  const told = inShort(events).filter((each) => !each.startsWith('note') && each !== 'prompt');
  const calls = [1, 2, 3, 4, 5].flatMap((count) => ['call', `result ${count}`]);
  expect(told).toEqual(['episode', ...calls, 'end 5']);
  // From the beginning, whatever was down meanwhile.
  const [begin, end] = [events[0], events.at(-1)] as [RecordEvent, RecordEvent & { type: 'end' }];
  expect(begin.at).toBeLessThan(firstDeath);
  expect(Math.abs(end.at - begin.at - end.ms)).toBeLessThan(500);
  for (const event of events)
    if (event.type === 'result') expect(events[event.call]).toMatchObject({ type: 'call', tool: 'add' });
});

test('Q3: an episode whose worker dies goes on in its record, and one that is lost ends there', async () => {
  const folder = newFolder();
  const { server, session } = await serve({ record: { folder } });
  const lost = await session();
  await lost.call('count');
  await lost.call('exit').catch(() => {});
  await eventually(async () =>
    expect((await onlyRecordIn(folder)).at(-1)).toMatchObject({ type: 'end', stop: 'lost' }),
  );
  await server.close();
  expect(inShort(await onlyRecordIn(folder))).toEqual(['episode', 'call', 'result 1', 'call', 'result ', 'end 1']);
});

const PROGRAM = fileURLToPath(new URL('./recording-server.ts', import.meta.url));

/** A server that plays one call of the episode `one`, and is killed so long after its answer. */
async function liveAndDie(folder: string, waitMs: number, name = 'counting'): Promise<void> {
  const child: ChildProcess = fork(PROGRAM, [folder], {
    execArgv: ['--conditions=tiltyard-source', '--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  killAtTheEnd(child);
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  const headers = { 'x-session-id': 'one', 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }).then((answer) => answer.text());
  // Refused where it is there already.
  await post('/create', { env_name: name, split: 'train', index: 0 });
  expect(await post(`/${name}/call`, { name: 'add', input: {}, task_id: `call-${child.pid}` })).toContain('"ok":true');
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  child.kill('SIGKILL');
  await once(child, 'exit');
}

function inShort(events: readonly RecordEvent[]): string[] {
  return events.map((event) => {
    if (event.type === 'note') return `note ${event.text}`;
    if (event.type === 'end') return `end ${event.rewards.count}`;
    if (event.type !== 'result') return event.type;
    return `result ${event.outcome === 'returned' ? (event.blocks[0] as { text: string }).text : ''}`;
  });
}
