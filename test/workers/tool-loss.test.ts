import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OutcomeUnknown } from 'tiltyard/client';
import { describe, expect, test } from 'vitest';
import { newFolder } from '../journal/folders.ts';
import { rejection } from '../support/client.ts';
import { serve } from './serve.ts';

const MODULE = fileURLToPath(new URL('./mortal-tools.ts', import.meta.url));

describe.each(['no journal', 'a journal'])('a toolkit in workers, with %s', (what) => {
  async function start() {
    const folder = newFolder();
    const ledger = join(folder, '..', 'ledger');
    const journal = what === 'a journal' ? { journal: { folder } } : {};
    const { oxp } = await serve({ workers: { modules: [MODULE], count: 2 }, ...journal });
    const lines = () => readFileSync(ledger, 'utf8').split('\n').slice(0, -1);
    return { oxp, lines, ledger };
  }

  test('H10: an idempotent call is run once more when its worker dies', async () => {
    const { oxp, lines, ledger } = await start();
    const { value } = await oxp.call('Mortal.Look', { ledger, lives: 1 }, { callId: 'a' });
    expect(value).toBe('attempt 2');
    expect(lines()).toEqual(['a 1', 'a 2']);
  });

  test('H5: and only once', async () => {
    const { oxp, lines, ledger } = await start();
    const error = await rejection(oxp.call('Mortal.Look', { ledger, lives: 9 }, { callId: 'a' }));
    expect(error).toMatchObject({ name: 'OxpToolError', outcome: 'env_error' });
    expect(lines()).toEqual(['a 1', 'a 2']);
  });

  test('J3: an external call is never run again, and nobody knows what it did', async () => {
    const { oxp, lines, ledger } = await start();
    const call = () => rejection(oxp.call('Mortal.Mail', { ledger, lives: 9 }, { callId: 'a' }));
    for (const error of [await call(), await call()]) {
      expect(error).toBeInstanceOf(OutcomeUnknown);
      expect(error).toMatchObject({ outcome: 'env_error', taskId: 'a' });
      expect(error.cause.developerMessage).toMatch(/ended by SIGKILL/);
    }
    expect(lines()).toEqual(['a 1']);
  });
});
