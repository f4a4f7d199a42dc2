import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * The bytes that live objects take: what is garbage has been collected. Files that use it are listed in vitest.config.ts,
 * because what other files left behind in their process would count as well.
 */
export async function liveBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // Twice, with a turn between: sockets that have just closed let go of their buffers in it.
  for (let round = 0; round < 2; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

export const MEGABYTE: number = 1024 * 1024;
