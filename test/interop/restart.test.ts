import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { folderWith, run as runCommand, untilPrinted } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { describeWithPython, shareFlows } from './python.ts';

// Each run of the tool leaves a line with the total that it told.
const MODULE = `
import { appendFileSync } from 'node:fs';
import { environment, step } from 'tiltyard';
import { z } from 'zod';

export default environment({
  name: 'counter',
  durability: 'replay',
  splits: { train: Array.from({ length: 100 }, (_, id) => ({ id })) },
  setup: () => ({ total: 0 }),
  prompt: ({ task }) => 'Count ' + task.id,
  tools: {
    add: {
      input: z.object({ n: z.int() }),
      run({ n }, { state }) {
        state.total += n;
        appendFileSync(process.env.LEDGER, '.');
        return step(String(state.total), { reward: n });
      },
    },
  },
});
`;

// The client of openreward sends a secret with each session, and without a key nothing of those is kept.
const KEY = 'a5'.repeat(32);

const [SESSIONS, CALLS, KILLS] = [100, 12, 2];

// Three servers start, one after the other, and clients pause for up to 10 s between attempts.
const TIMEOUT_MS = 240_000;

describeWithPython('J2, J7, J8: a server that is killed and started again', () => {
  const flow = shareFlows();

  test.each(['ors', 'openreward'] as const)(
    'is not noticed by 100 sessions of %s',
    async (sdk) => {
      const folder = await folderWith({ 'server.ts': MODULE });
      const [port, ledger] = [await freePort(), join(folder, 'ledger')];
      const args = ['serve', join(folder, 'server.ts'), '--port', `${port}`, '--journal', join(folder, 'journal')];
      const start = async () => {
        const running = runCommand([...args, '--workers', '1'], { LEDGER: ledger, TILTYARD_JOURNAL_KEY: KEY });
        await untilPrinted(running, /listening on/);
        return running;
      };
      let running = await start();
      const client = { sdk, mode: 'async', url: `http://127.0.0.1:${port}` } as const;
      const counted = flow('counting', client, { sessions: SESSIONS, calls: CALLS, pause: 0.3 });
      for (let kill = 1; kill <= KILLS; kill += 1) {
        // A third of the work, then another one.
        while (sizeOf(ledger) < (kill * SESSIONS * CALLS) / (KILLS + 1)) await sleep(20);
        running.child.kill('SIGKILL');
        await running.exit;
        running = await start();
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
