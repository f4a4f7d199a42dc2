import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { folderWith, run as runCommand, untilPrinted } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { startHaltingProxy } from '../support/halting-proxy.ts';
import { COUNTER_MODULE, JOURNAL_KEY } from './counter-module.ts';
import { describeWithPython, shareFlows } from './python.ts';

const [SESSIONS, CALLS, KILLS] = [100, 45, 2];
const THIRD = (SESSIONS * CALLS) / (KILLS + 1);

// An official client gives a session up if three pings within 3 s find no server, and a busy machine may take longer to
// start one. So it finds none for this long, and then somebody who takes its connection and lets it wait.
const REFUSED_MS = 500;

// Three servers start, one after the other, and clients pause for up to 10 s between attempts.
const TIMEOUT_MS = 240_000;

describeWithPython('J2, J7, J8: a server that is killed and started again', () => {
  const flow = shareFlows();

  test.each(['ors', 'openreward'] as const)(
    'is not noticed by 100 sessions of %s',
    async (sdk) => {
      const folder = await folderWith({ 'server.mjs': COUNTER_MODULE });
      const [port, ledger] = [await freePort(), join(folder, 'ledger')];
      const args = ['serve', join(folder, 'server.mjs'), '--port', `${port}`, '--journal', join(folder, 'journal')];
      const start = async () => {
        const running = runCommand([...args, '--workers', '1'], { LEDGER: ledger, TILTYARD_JOURNAL_KEY: JOURNAL_KEY });
        await untilPrinted(running, /listening on/);
        return running;
      };
      let running = await start();
      await using proxy = await startHaltingProxy(port);
      const client = { sdk, mode: 'async', url: `http://127.0.0.1:${proxy.port}` } as const;
      const counted = flow('counting', client, { sessions: SESSIONS, calls: CALLS, pause: 0.3 });
      for (let kill = 1; kill <= KILLS; kill += 1) {
        // A third of the work, then another one. In between, what was done before is done again.
        const replayed = (kill * (kill - 1)) / 2;
        while (sizeOf(ledger) < (kill + replayed) * THIRD) await sleep(20);
        running.child.kill('SIGKILL');
        await running.exit;
        await sleep(REFUSED_MS);
        proxy.halt();
        running = await start();
        proxy.resume();
      }
      const said = Array.from({ length: CALLS }, (_, call) => [`${call + 1}`, 1]);
      expect(await counted).toEqual(Array.from({ length: SESSIONS }, (_, id) => ({ prompt: `Count ${id}`, said })));
    },
    TIMEOUT_MS,
  );
});

function sizeOf(file: string): number {
  return existsSync(file) ? readFileSync(file).length : 0;
}
