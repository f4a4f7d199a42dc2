import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { findCurrentNats } from '../cluster/nats-programs.ts';
import { startNats } from '../cluster/nats-servers.ts';
import { folderWith, type Run, run as runCommand, untilPrinted } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { skipAloud } from '../support/needed.ts';
import { startRoundRobin } from '../support/round-robin.ts';
import { COUNTER_MODULE, JOURNAL_KEY } from './counter-module.ts';
import { describeWithPython, shareFlows } from './python.ts';

const [SESSIONS, CALLS] = [60, 12];

const nats = await findCurrentNats();
if ('missing' in nats) skipAloud('official clients on a cluster', nats.missing);

describeWithPython('N7: official clients behind a plain round robin', () => {
  const flow = shareFlows();

  test.skipIf('missing' in nats).each(['ors', 'openreward'] as const)(
    '%s steps once for each call, while nodes are killed, paused and drained',
    { timeout: 8 * 60_000 },
    async (sdk) => {
      await using servers = await startNats('path' in nats ? nats.path : '', 3);
      const folder = await folderWith({ 'server.ts': COUNTER_MODULE });
      const ledger = join(folder, 'ledger');
      const env = { LEDGER: ledger, TILTYARD_JOURNAL_KEY: JOURNAL_KEY };
      const start = async (name: string, port: number): Promise<Run> => {
        const args = ['serve', join(folder, 'server.ts'), '--port', `${port}`, '--cluster', servers.url];
        const running = runCommand([...args, '--node-name', name, '--limit', 'noticeMs=0'], env);
        await untilPrinted(running, /listening on/);
        return running;
      };
      const ports = [await freePort(), await freePort(), await freePort()] as const;
      const [one, two, three] = await Promise.all(ports.map((port, index) => start(`n${index}`, port)));
      await using balancer = await startRoundRobin(ports);
      const client = { sdk, mode: 'async', url: balancer.url } as const;
      const counted = flow('counting', client, { sessions: SESSIONS, calls: CALLS, pause: 0.5 });
      const until = async (share: number) => {
        while (sizeOf(ledger) < share * SESSIONS * CALLS) await sleep(20);
      };
      await until(0.2);
      one?.child.kill('SIGKILL');
      await until(0.5);
      const again = start('n0', ports[0]);
      two?.child.kill('SIGSTOP');
      await sleep(4_000);
      two?.child.kill('SIGCONT');
      await again;
      await until(0.8);
      three?.child.kill('SIGTERM');
      const said = Array.from({ length: CALLS }, (_, call) => [`${call + 1}`, 1]);
      expect(await counted).toEqual(Array.from({ length: SESSIONS }, (_, id) => ({ prompt: `Count ${id}`, said })));
    },
  );
});

function sizeOf(file: string): number {
  return existsSync(file) ? readFileSync(file).length : 0;
}
