import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';

/**
 * Whether a transaction can begin. A process that was stopped within one holds the lock, and waiting for it blocks
 * a process: so another one tries.
 */
export function canWrite(folder: string): Promise<boolean> {
  return succeeds(
    'const { open } = require(process.argv[1]); open({ path: process.argv[2], noSubdir: false }); process.exit(0)',
    folder,
    LOCK_TIMEOUT_MS,
  );
}

/** Whether all there is can be read. If something is missing, LMDB crashes, and so another process tries. */
export function canReadAll(folder: string): Promise<boolean> {
  return succeeds(
    `const { open } = require(process.argv[1]);
const environment = open({ path: process.argv[2], noSubdir: false, readOnly: true });
for (const name of [...environment.getKeys()])
  for (const { value } of environment.openDB(String(name), { encoding: 'binary', keyEncoding: 'binary' }).getRange()) value.length;
process.exit(0)`,
    folder,
    READ_TIMEOUT_MS,
  );
}

const LOCK_TIMEOUT_MS = 3000;
const READ_TIMEOUT_MS = 600_000;

function succeeds(program: string, folder: string, timeout: number): Promise<boolean> {
  const lmdb = createRequire(import.meta.url).resolve('lmdb');
  const args = ['-e', program, lmdb, folder];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout, killSignal: 'SIGKILL' }, (error) => resolve(error === null));
  });
}
