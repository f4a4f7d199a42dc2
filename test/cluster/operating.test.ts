import { readFileSync } from 'node:fs';
import { createServer, connect as dial, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { openCluster, Unreachable } from '../../src/cluster/index.ts';
import { run, untilPrinted } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { add, type Node, PATIENCE, SOON, startNode, startNodes, untilKnown } from './nodes.ts';
import { CURRENT, describeWithNats, type NatsKind, PACKAGED } from './with-nats.ts';

/** A server of NATS that says that it is of another version: all else passes as it is. */
async function pretend(port: number, change: (info: string) => string): Promise<{ url: string; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = dial(port, '127.0.0.1');
    for (const socket of [client, target]) sockets.add(socket.on('error', () => {}));
    client.pipe(target);
    // Current servers say it once more when the client has introduced itself.
    target.on('data', (packet) => {
      client.write(packet.toString('latin1').replaceAll(/INFO \{[^\r]*/g, change), 'latin1');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `nats://127.0.0.1:${(server.address() as { port: number }).port}`;
  return {
    url,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** The metrics that the example alerts are about. */
function alertedMetrics(): readonly string[] {
  const names = readFileSync(new URL('../../deploy/cluster.alerts.yaml', import.meta.url), 'utf8').match(
    /tiltyard_\w+/g,
  );
  return (names ?? []).map((name) => name.replace(/_bucket$/, ''));
}

function nodesThatAre(state: string): string {
  return `tiltyard_cluster_nodes\\{state="${state}"\\}`;
}

for (const kind of [PACKAGED, CURRENT] satisfies NatsKind[]) {
  await describeWithNats(kind, (startNats) => {
    test('N9: too old servers are refused, and those without JetStream', PATIENCE, async () => {
      const nats = await startNats();
      const serve = (url: string) => run(['serve', 'test/cluster/tally.ts', '--cluster', url, '--node-name', 'n']);
      const [port = 0] = nats.ports;
      const old = await pretend(port, (info) => info.replace(/"version":"[^"]+"/, '"version":"2.8.4"'));
      const refused = serve(old.url);
      expect(await refused.exit).toBe(1);
      expect(refused.output()).toContain('nats-server 2.8.4 at nats://127.0.0.1');
      expect(refused.output()).toContain('2.9.0 or later');
      old.close();
      const plain = await pretend(port, (info) => info.replace('"jetstream":true', '"jetstream":false'));
      const without = serve(plain.url);
      expect(await without.exit).toBe(1);
      expect(without.output()).toContain('nats-server -js');
      plain.close();
    });

    test('N10: metrics tell takeovers, fenced episodes, rebuilds, losses, appends and nodes', PATIENCE, async () => {
      const nats = await startNats();
      const nodes = await startNodes(nats.url, 2);
      const [one, two] = nodes as [Node, Node];
      const sids = await Promise.all(Array.from({ length: 4 }, () => one.create()));
      const fleeting = await Promise.all(
        Array.from({ length: 4 }, () => one.create({ env_name: 'brittle', split: 'train', index: 0 })),
      );
      for (const sid of sids) await add(nodes, sid, 1);
      one.signal('SIGKILL');
      await untilKnown([two], 1);
      for (const sid of sids) expect(await add([two], sid, 1)).toBe('total 2');
      for (const sid of fleeting) await two.call(sid, 'add', { amount: 1 }, { env: 'brittle' });
      expect(await two.metric('tiltyard_takeovers_total')).toBeGreaterThan(0);
      expect(await two.metric('tiltyard_journal_append_duration_seconds_count')).toBeGreaterThan(0);
      expect(await two.metric('tiltyard_rebuild_duration_seconds_count{environment="tally"}')).toBeGreaterThan(0);
      const lost = 'tiltyard_sessions_lost_total{environment="brittle",reason="server_lost"}';
      await expect.poll(() => two.metric(lost), SOON).toBeGreaterThan(0);
      // How many depends on how busy the machine is.
      const told = await two.metrics();
      for (const name of ['tiltyard_fenced_total', ...['draining', 'cut_off'].map(nodesThatAre)])
        expect(told).toMatch(new RegExp(`^${name} [0-9]+$`, 'm'));
      for (const name of alertedMetrics()) expect(told).toContain(`# TYPE ${name} `);
    });

    test(
      'N6: a store of NATS that is full refuses, loses nothing, and goes on when there is room',
      PATIENCE,
      async () => {
        const nats = await startNats({ maxFileStore: '1MB' });
        const { journal, close } = await openCluster({ nats: nats.url, name: 'test', keys: [] });
        try {
          const write = (place: string, after = 0) => {
            const record = { type: 'create', at: Date.now(), body: 'x'.repeat(50_000) };
            return journal.append(place, { record, node: 'one', epoch: 1, id: `one ${place} ${after}` }, after);
          };
          const written = new Map<string, number>();
          const fill = async () => {
            for (let count = 0; count < 100; count += 1) written.set(`e${count}`, await write(`e${count}`));
          };
          await expect(fill()).rejects.toThrow(Unreachable);
          expect(written.size).toBeGreaterThan(10);
          for (const [place, position] of written) {
            expect((await journal.read(place))?.records).toHaveLength(1);
            await journal.prune(place, position + 1);
          }
          // 2.9 does not see before that there is room.
          nats.signal(0, 'SIGTERM');
          await nats.restart(0);
          await expect.poll(() => write('next').then(() => 'written', String), SOON).toBe('written');
        } finally {
          await close();
        }
      },
    );

    test('a person sees the nodes, and empties one that goes on answering', PATIENCE, async () => {
      const nats = await startNats();
      const nodes = await startNodes(nats.url, 2);
      const [one, two] = nodes as [Node, Node];
      const sids = await Promise.all(Array.from({ length: 6 }, () => one.create()));
      const status = async () => {
        const told = run(['cluster', 'status', nats.url, '--json']);
        expect(await told.exit).toBe(0);
        return told
          .stdout()
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line));
      };
      await expect.poll(status, SOON).toMatchObject([
        { name: one.name, state: 'alive' },
        { name: two.name, state: 'alive' },
      ]);
      const drained = run(['cluster', 'drain', nats.url, one.name]);
      expect(await drained.exit).toBe(0);
      expect(drained.output()).toContain(`${one.name} has no sessions, and can be stopped.`);
      const again = run(['cluster', 'drain', nats.url, one.name, '--json']);
      expect(await again.exit).toBe(0);
      expect(JSON.parse(again.stdout())).toMatchObject({ name: one.name, sessions: 0 });
      await expect.poll(status, SOON).toMatchObject([
        { name: one.name, state: 'drained', sessions: 0 },
        { name: two.name, state: 'alive', sessions: 6 },
      ]);
      for (const sid of sids) expect(await add([one], sid, 1)).toBe('total 1');
      const unknown = run(['cluster', 'drain', nats.url, 'nobody']);
      expect(await unknown.exit).toBe(1);
      expect(unknown.output()).toContain(`no node 'nobody'. There are: `);
      // Nobody is left who could take them.
      const last = run(['cluster', 'drain', nats.url, two.name]);
      expect(await last.exit).toBe(1);
      expect(last.output()).toContain(`no other node can take the 6 sessions of ${two.name}. Start one first`);
    });

    test('what cannot be is told, with what to do', PATIENCE, async () => {
      const nats = await startNats();
      const nowhere = run(['cluster', 'status', `nats://127.0.0.1:${await freePort()}`]);
      expect(await nowhere.exit).toBe(1);
      expect(nowhere.output()).toContain('cannot connect to NATS at nats://127.0.0.1');
      const wrong = run(['cluster', 'status', 'http://secret@localhost']);
      expect(await wrong.exit).toBe(2);
      expect(wrong.output()).toContain('nats://host:4222');
      expect(wrong.output()).not.toContain('secret');
      const both = run(['serve', 'test/cluster/tally.ts', '--cluster', nats.url, '--journal', 'x']);
      expect(await both.exit).toBe(2);
      const tools = run([
        'serve',
        'examples/toolkit/toolkit.ts',
        '--cluster',
        nats.url,
        '--node-name',
        'tools',
        '--port',
        '0',
      ]);
      expect(await tools.exit).toBeGreaterThan(0);
      expect(tools.output()).toContain('serve those from another server, with a journal');
      const alone = await startNode(nats.url);
      expect((await alone.get('/health')).status).toBe(200);
      alone.signal('SIGTERM');
      await untilPrinted(alone.running, /SIGTERM/);
      expect(await alone.running.exit).toBe(0);
    });
  });
}

await describeWithNats(CURRENT, (startNats) => {
  test('with a key, nodes hear only those who have it', PATIENCE, async () => {
    const nats = await startNats();
    const env = { TILTYARD_JOURNAL_KEY: 'a5'.repeat(32) };
    const nodes = await startNodes(nats.url, 2, { env });
    const [one] = nodes as [Node];
    const sid = await one.create();
    expect(await add(nodes, sid, 1)).toBe('total 1');
    const stranger = run(['cluster', 'drain', nats.url, one.name]);
    expect(await stranger.exit).toBe(1);
    const told = run(['cluster', 'status', nats.url, '--json'], env);
    expect(await told.exit).toBe(0);
    expect(told.stdout()).toContain(one.name);
    expect(told.stdout()).not.toContain('drain');
  });
});
