import { createServer as createTcpServer, type Socket, connect as tcpConnect } from 'node:net';
import { OutcomeUnknown } from 'tiltyard/client';
import { expect, onTestFinished, test } from 'vitest';
import { rejection } from '../support/client.ts';
import { quickOxp, startCounted, startOther, succeed } from '../support/oxp.ts';

// Calls that wait at the gate are left there.
const startImpatient = () => startCounted({ limits: { drainMs: 0, graceMs: 10 } });

type Counted = Awaited<ReturnType<typeof startCounted>>;

/** An address behind which several servers stand; the test says who gets the next connection, and cuts those that there are. */
async function startBalancer(choose: (connection: number) => Counted) {
  const sockets = new Set<Socket>();
  let count = 0;
  const balancer = createTcpServer((client) => {
    const target = tcpConnect(Number(new URL(choose(count++).url).port), '127.0.0.1');
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    client.pipe(target).pipe(client);
    client.on('close', () => target.destroy());
    target.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    balancer.close();
  });
  const { port } = balancer.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, cut };
}

test('a call whose server is replaced while it runs is not run by the next one', async () => {
  const [first, second] = [await startImpatient(), await startImpatient()];
  let current = first;
  const balancer = await startBalancer(() => current);
  const client = quickOxp(balancer);
  const call = rejection(client.call('Counted.Wait', { key: 'a' }));
  await first.gate.reached;
  current = second;
  balancer.cut();
  const error = await call;
  expect(error).toBeInstanceOf(OutcomeUnknown);
  expect(error.message).toMatch(/restarted, or another one took its place.*may have run, and was not sent again/);
  expect([first.runs('a'), second.runs('a')]).toEqual([1, 0]);
  // What is called from now on belongs to the new one.
  expect((await client.call('Counted.Small', { key: 'b' })).value).toBe('ran b');
  expect(second.runs('b')).toBe(1);
});

test('a call whose connection drops attaches to its run, also if it is the first of its client', async () => {
  const server = await startImpatient();
  const balancer = await startBalancer(() => server);
  const call = quickOxp(balancer).call('Counted.Wait', { key: 'a' });
  await server.gate.reached;
  balancer.cut();
  server.gate.open();
  expect((await call).value).toBe('waited for a');
  expect(server.runs('a')).toBe(1);
});

test('behind an address that several servers share by turns, a call runs once or its outcome is unknown', async () => {
  const servers = [await startImpatient(), await startImpatient(), await startImpatient()] as const;
  const balancer = await startBalancer((connection) => servers[(connection % 3) as 0 | 1 | 2]);
  const client = quickOxp(balancer);
  const runs = (key: string) => servers.reduce((sum, server) => sum + server.runs(key), 0);
  for (let number = 0; number < 12; number += 1) {
    // A connection each, so that each goes elsewhere.
    balancer.cut();
    const key = `small-${number}`;
    const result = await client.call('Counted.Small', { key }).catch((error) => error);
    if (result instanceof Error) expect(result).toBeInstanceOf(OutcomeUnknown);
    else expect(runs(key)).toBe(1);
    expect(runs(key)).toBeLessThanOrEqual(1);
  }
  const call = rejection(client.call('Counted.Wait', { key: 'slow' }));
  await Promise.race(servers.map(({ gate }) => gate.reached));
  balancer.cut();
  expect(await call).toBeInstanceOf(OutcomeUnknown);
  expect(runs('slow')).toBe(1);
});

test("a server that names no instance gets the same id again, as OXP has it; 'repeat' asks for no more anywhere", async () => {
  const other = await startOther((exchange) =>
    exchange.count === 1 ? exchange.response.destroy() : succeed(7)(exchange),
  );
  expect((await quickOxp(other).call('Any.Tool')).value).toBe(7);
  for (const { headers } of other.seen) expect(headers).not.toHaveProperty('x-tiltyard-instance');

  const [first, second] = [await startImpatient(), await startImpatient()];
  let current = first;
  const balancer = await startBalancer(() => current);
  const call = quickOxp(balancer, { onUnknown: 'repeat' }).call('Counted.Wait', { key: 'a' });
  await first.gate.reached;
  current = second;
  second.gate.open();
  balancer.cut();
  expect((await call).value).toBe('waited for a');
  expect([first.runs('a'), second.runs('a')]).toEqual([1, 1]);
});
