import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCluster, placeOf } from '../../src/cluster/index.ts';
import { folderWith } from '../support/command.ts';
import { startHaltingProxy } from '../support/halting-proxy.ts';
import type { NatsServers } from './nats-servers.ts';
import { add, insist, type Node, PATIENCE, SOON, startNode, startNodes, textOf, untilKnown } from './nodes.ts';
import { CURRENT, describeWithNats, type NatsKind, PACKAGED, THREE } from './with-nats.ts';

async function linesOf(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
}

/** For docs/cluster.md. */
function print(what: string, since: number): void {
  console.log(`${what} after ${Math.round(performance.now() - since)} ms`);
}

/** A way to all servers of NATS that can be cut. */
async function startLine({
  ports,
}: NatsServers): Promise<AsyncDisposable & { url: string; halt(): void; resume(): void }> {
  const proxies = await Promise.all(ports.map((port) => startHaltingProxy(port)));
  return {
    url: proxies.map(({ port }) => `nats://127.0.0.1:${port}`).join(','),
    halt() {
      for (const proxy of proxies) proxy.halt();
    },
    resume() {
      for (const proxy of proxies) proxy.resume();
    },
    async [Symbol.asyncDispose]() {
      for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
    },
  };
}

/** The node that has a session: the only one whose total of live sessions is not 0. */
async function ownerOf(nodes: readonly Node[]): Promise<Node> {
  for (const node of nodes) if ((await node.metric('tiltyard_sessions_live{environment="tally"}')) > 0) return node;
  throw new Error('no node has it');
}

for (const kind of [PACKAGED, CURRENT, THREE] satisfies NatsKind[]) {
  await describeWithNats(kind, (startNats) => {
    test('N3: after kill -9 of a node, all durable episodes go on', PATIENCE, async () => {
      const nats = await startNats();
      const nodes = await startNodes(nats.url, 3);
      const [first, ...others] = nodes as [Node, Node, Node];
      const sids = await Promise.all(Array.from({ length: 30 }, () => first.create()));
      const fleeting = await first.create({ env_name: 'brittle', split: 'train', index: 0 });
      await Promise.all(sids.map((sid) => add(nodes, sid, 1)));
      const running = sids.map((sid) =>
        insist(nodes, sid, 'slowly', { amount: 10, ms: 300 }, { taskId: `slow-${sid}` }),
      );
      first.signal('SIGKILL');
      const since = performance.now();
      const times = await Promise.all(
        sids.map(async (sid) => {
          await add(others, sid, 100);
          return performance.now() - since;
        }),
      );
      const median = times.sort((a, b) => a - b)[15] as number;
      console.log(`N3 on ${kind.name}: the next call of 30 episodes was answered after ${Math.round(median)} ms (p50)`);
      await Promise.all(running);
      for (const sid of sids) expect(await add(others, sid, 1_000)).toBe('total 1111');
      const [one, two] = others as [Node, Node];
      const takeovers = (await one.metric('tiltyard_takeovers_total')) + (await two.metric('tiltyard_takeovers_total'));
      expect(takeovers).toBeGreaterThan(0);
      // One that promised nothing is lost, or lives where it was.
      const told = await one.call(fleeting, 'add', { amount: 1 }, { env: 'brittle' });
      // Inside the stream, if its id was announced before the node that asked heard of the loss.
      expect(textOf(told)).toMatch(/^(total 1|session_lost|session '.*' was lost|the session was lost)/);
    });

    test('N2: one epoch, one writer: a node that was paused tells nobody what it did', PATIENCE, async () => {
      const nats = await startNats();
      const folder = await folderWith({});
      const log = join(folder, 'log');
      const nodes = await startNodes(nats.url, 2);
      const [one, two] = nodes as [Node, Node];
      const sid = await one.create({ env_name: 'tally', task_spec: { log } });
      const owner = await ownerOf(nodes);
      const other = owner === one ? two : one;
      expect(await add([owner], sid, 1)).toBe('total 1');
      const slow = { amount: 10, ms: 800 };
      const told = owner.call(sid, 'slowly', slow, { env: 'tally', taskId: 'both' });
      await expect.poll(() => linesOf(log), SOON).toContainEqual(expect.stringMatching(/^begin both 1/));
      owner.signal('SIGSTOP');
      // The other one takes over, and runs what was lost with the state.
      const again = await other.call(sid, 'slowly', slow, { env: 'tally', taskId: 'both' });
      expect(textOf(again)).toBe('total 11');
      expect(await add([other], sid, 100)).toBe('total 111');
      owner.signal('SIGCONT');
      // It has run the tool by now, and its append is refused: its client gets what the other one told.
      expect(textOf(await told)).toBe('total 11');
      expect(await add([owner], sid, 1_000)).toBe('total 1111');
      // More often if other work on the machine let a node stand still as well.
      expect(await owner.metric('tiltyard_fenced_total')).toBeGreaterThan(0);
      expect(await other.metric('tiltyard_takeovers_total')).toBeGreaterThan(0);
    });

    test('N2: what must be done once is not done by both', PATIENCE, async () => {
      const nats = await startNats();
      const folder = await folderWith({});
      const log = join(folder, 'log');
      const nodes = await startNodes(nats.url, 2);
      const [one, two] = nodes as [Node, Node];
      const sid = await one.create({ env_name: 'tally', task_spec: { log } });
      const owner = await ownerOf(nodes);
      const other = owner === one ? two : one;
      const told = owner.call(sid, 'pay', { ms: 60_000 }, { env: 'tally', taskId: 'once' }).catch(() => undefined);
      await expect.poll(() => linesOf(log), SOON).toContain('pay once 1');
      owner.signal('SIGKILL');
      await told;
      const again = await insist([other], sid, 'pay', { ms: 60_000 }, { taskId: 'once' });
      expect(again).toContain('not known whether');
      expect((await linesOf(log)).filter((line) => line.startsWith('pay'))).toEqual(['pay once 1']);
      expect(await add([other], sid, 1)).toBe('total 1');
    });

    test('N5: draining a node loses nothing', PATIENCE, async () => {
      const nats = await startNats();
      const log = join(await folderWith({}), 'log');
      const nodes = await startNodes(nats.url, 3);
      const [first, ...others] = nodes as [Node, Node, Node];
      const task = { env_name: 'tally', task_spec: { log } };
      const sids = await Promise.all(Array.from({ length: 20 }, () => first.create(task)));
      const slow = sids.map((sid) => first.call(sid, 'slowly', { amount: 1, ms: 400 }, { env: 'tally' }));
      // Answered by the node that stops, although others have the sessions by then.
      const waited = Promise.all(slow);
      await expect.poll(() => linesOf(log), { ...SOON, interval: 10 }).not.toEqual([]);
      first.signal('SIGTERM');
      const since = performance.now();
      for (const answer of await waited) expect(textOf(answer)).toBe('total 1');
      expect(await first.running.exit).toBe(0);
      print(`N5 on ${kind.name}: stopped, with 20 calls and their sessions`, since);
      for (const sid of sids) expect(await add(others, sid, 10)).toBe('total 11');
    });

    test(
      'a session that keeps nothing ends with a node that stops, and other nodes know that and what was told',
      PATIENCE,
      async () => {
        const nats = await startNats();
        const [first, other] = (await startNodes(nats.url, 2)) as [Node, Node];
        const task = { env_name: 'brittle', split: 'train', index: 0 };
        const sids = await Promise.all(Array.from({ length: 8 }, () => first.create(task)));
        const call = (sid: string, taskId: string) =>
          other.call(sid, 'add', { amount: 1 }, { env: 'brittle', taskId }).then(textOf);
        for (const sid of sids) expect(await call(sid, 'first')).toBe('total 1');
        first.signal('SIGTERM');
        expect(await first.running.exit).toBe(0);
        const next = await Promise.all(sids.map((sid) => call(sid, 'second')));
        expect(new Set(next)).toEqual(new Set(['session_gone', 'total 2']));
        for (const sid of sids) expect(await call(sid, 'first')).toBe('total 1');
      },
    );

    test('N3: when all nodes have died, the first one that starts goes on', PATIENCE, async () => {
      const nats = await startNats();
      const nodes = await startNodes(nats.url, 2);
      const sids = await Promise.all(nodes.flatMap((node) => [node.create(), node.create(), node.create()]));
      for (const sid of sids) expect(await add(nodes, sid, 1)).toBe('total 1');
      for (const node of nodes) node.signal('SIGKILL');
      await Promise.all(nodes.map(({ running }) => running.exit));
      const next = await startNode(nats.url);
      const since = performance.now();
      const told = await Promise.all(sids.map((sid) => add([next], sid, 10)));
      print(`N3 on ${kind.name}: all nodes had died, and one that has started answered for all sessions`, since);
      expect(new Set(told)).toEqual(new Set(['total 11']));
    });

    test('N11: orphans that nobody asks for are taken over, and end in time', PATIENCE, async () => {
      const nats = await startNats();
      const limits = { idleMs: 3_000, tombstoneMs: 60_000 };
      const nodes = await startNodes(nats.url, 2, { limits });
      const [one, two] = nodes as [Node, Node];
      const sids = await Promise.all(Array.from({ length: 6 }, () => one.create()));
      one.signal('SIGKILL');
      const cluster = await openCluster({ nats: nats.url, name: 'test', keys: [] });
      try {
        for (const sid of sids)
          await expect.poll(async () => (await cluster.journal.last(placeOf(sid)))?.type, SOON).toBe('close');
        // Only their tombstones are left.
        for (const sid of sids) expect((await cluster.journal.read(placeOf(sid)))?.records).toHaveLength(1);
      } finally {
        await cluster.close();
      }
      for (const sid of sids) expect((await two.post('/ping', {}, { sid })).json.code).toBe('session_expired');
      expect(await two.metric('tiltyard_sessions_live{environment="tally"}')).toBe(0);
    });

    test('N4: episodes of a node that is cut off are taken over, and it comes back', PATIENCE, async () => {
      const nats = await startNats();
      await using line = await startLine(nats);
      const cut = await startNode(line.url);
      const sid = await cut.create();
      const fleeting = await cut.create({ env_name: 'brittle', split: 'train', index: 0 });
      expect(await add([cut], sid, 1)).toBe('total 1');
      const other = await startNode(nats.url);
      await untilKnown([cut, other], 2);
      const since = performance.now();
      line.halt();
      // Both sides are asked for the same call: the one that is cut off answers only when it is back.
      const taskId = 'at-both';
      const there = cut.call(sid, 'add', { amount: 10 }, { env: 'tally', taskId });
      expect(await add([other], sid, 10, { taskId })).toBe('total 11');
      print(`N4 on ${kind.name}: taken over`, since);
      expect(await add([other], sid, 100)).toBe('total 111');
      expect(await add([other], fleeting, 1, { env: 'brittle' })).toBe('session_lost');
      line.resume();
      expect(textOf(await there)).toBe('total 11');
      expect(await add([cut], sid, 1_000)).toBe('total 1111');
      await untilKnown([cut, other], 2);
      // Nobody asks the one that is back for what was lost: it finds out by itself, long before that would expire.
      await expect.poll(() => cut.metric('tiltyard_sessions_live{environment="brittle"}'), SOON).toBe(0);
      // It is the other one's to say how it ended.
      const ended = (node: Node) =>
        node.metric('tiltyard_sessions_ended_total{environment="brittle",outcome="cancelled"}');
      expect(await ended(cut)).toBe(0);
      await expect.poll(() => other.metric('tiltyard_sessions_lost_total'), SOON).toBe(1);
    });
  });
}

for (const kind of [PACKAGED, CURRENT] satisfies NatsKind[]) {
  await describeWithNats(kind, (startNats) => {
    test('N6: without NATS nothing is answered, and all goes on by itself', PATIENCE, async () => {
      const nats = await startNats();
      await using proxy = await startHaltingProxy(nats.ports[0] as number);
      const nodes = await startNodes(`nats://127.0.0.1:${proxy.port}`, 2);
      const [one, two] = nodes as [Node, Node];
      const sid = await one.create();
      expect(await add(nodes, sid, 1)).toBe('total 1');
      proxy.halt();
      // One whose client knows the id waits for as long as it takes; one that would begin is told to come again.
      const [waited, refused] = await Promise.all([
        two.call(sid, 'add', { amount: 10 }, { env: 'tally', taskId: 'kept' }),
        one.post('/create', { split: 'train', index: 0 }, { sid: crypto.randomUUID() }),
      ]);
      for (const answer of [waited, refused]) {
        expect(answer.status).toBe(503);
        expect(answer.headers.get('retry-after')).toBe('1');
        expect(answer.headers.get('x-backend-state')).toBe('starting');
      }
      expect((await one.get('/health')).status).toBe(200);
      proxy.resume();
      const since = performance.now();
      expect(await add(nodes, sid, 10, { taskId: 'kept' })).toBe('total 11');
      print(`N6 on ${kind.name}: answered with NATS that is back`, since);
      expect(await add(nodes, sid, 100)).toBe('total 111');
    });
  });
}

await describeWithNats(CURRENT, (startNats) => {
  test('N6: what waits for NATS does not begin if its client has left', PATIENCE, async () => {
    const nats = await startNats();
    await using proxy = await startHaltingProxy(nats.ports[0] as number);
    const node = await startNode(`nats://127.0.0.1:${proxy.port}`);
    await untilKnown([node], 1);
    proxy.halt();
    const stays = node.post('/create', { split: 'train', index: 0 }, { sid: 'stays' });
    const leaves = connect(Number(new URL(node.url).port), '127.0.0.1');
    const [body, headers] = ['{"split":"train","index":0}', 'Content-Type: application/json\r\nX-Session-ID: leaves'];
    leaves.write(
      `POST /create HTTP/1.1\r\nHost: localhost\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    // What was sent before this is answered has arrived, and so has the end of what has ended.
    const hasArrived = async () => {
      for (let count = 0; count < 3; count += 1) await node.get('/health');
    };
    await hasArrived();
    leaves.destroy();
    await once(leaves, 'close');
    await hasArrived();
    proxy.resume();
    expect((await stays).status).toBe(200);
    expect((await node.post('/ping', {}, { sid: 'stays' })).status).toBe(200);
    expect((await node.post('/ping', {}, { sid: 'leaves' })).json.code).toBe('session_not_found');
  });
});

await describeWithNats(THREE, (startNats) => {
  test('N6: one server of NATS may die; with two gone, nothing is answered until they are back', PATIENCE, async () => {
    const nats = await startNats();
    const nodes = await startNodes(nats.url, 2);
    const sids = await Promise.all(nodes.map((node) => node.create()));
    for (const sid of sids) expect(await add(nodes, sid, 1)).toBe('total 1');
    const leader = await nats.leader();
    nats.signal(leader, 'SIGKILL');
    const killed = performance.now();
    for (const sid of sids) expect(await add(nodes, sid, 10)).toBe('total 11');
    print('N6: answered without the server of NATS that led', killed);
    const second = (leader + 1) % 3;
    nats.signal(second, 'SIGKILL');
    const isAnswered: string[] = [];
    const waiting = sids.map(async (sid) => {
      const told = await add(nodes, sid, 100, { taskId: `over-${sid}` });
      isAnswered.push(told);
      return told;
    });
    // Longer than it takes to notice, and to choose a leader among those that are left, if they could.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect(isAnswered).toEqual([]);
    await nats.restart(second);
    const restarted = performance.now();
    for (const told of await Promise.all(waiting)) expect(told).toBe('total 111');
    print('N6: answered with a majority that is back', restarted);
    await nats.restart(leader);
    for (const sid of sids) expect(await add(nodes, sid, 1_000)).toBe('total 1111');
  });
});
