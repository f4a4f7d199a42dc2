import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findCurrentNats } from '../cluster/nats-programs.ts';
import { skipAloud } from '../support/needed.ts';

const CONFIGURATION = fileURLToPath(new URL('../../deploy/cluster.nats.conf', import.meta.url));

const nats = await findCurrentNats();
if ('missing' in nats) skipAloud('the configuration of NATS', nats.missing);

test.skipIf('missing' in nats)(
  `a current nats-server takes deploy/cluster.nats.conf${'missing' in nats ? ` (skipped: ${nats.missing})` : ''}`,
  async () => {
    const env = { ...process.env, SERVER_NAME: 'nats-0', NATS_PASSWORD: 'p0123' };
    const path = 'path' in nats ? nats.path : '';
    const { stdout, stderr } = await promisify(execFile)(path, ['-t', '-c', CONFIGURATION], { env });
    expect(stdout + stderr).toContain('is valid');
  },
);
