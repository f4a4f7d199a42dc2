import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'tiltyard/client';
import { startModule } from '../../bench/child.ts';
import { type FuzzResult, fuzz } from './run.ts';

/** How much to send; the same seed sends the same. */
export interface FuzzProofOptions {
  readonly requests: number;
  readonly seed: number;
  /** How long to wait until everything has expired. Default: longer than the target keeps anything. */
  readonly settleMs?: number;
  /** One of the connections alone. */
  readonly only?: number | undefined;
  readonly onProgress?: (sent: number) => void;
}

/** What was proven, or not. */
export interface FuzzProof extends FuzzResult {
  /** How much more memory was in use afterwards, with everything expired and freed. */
  readonly grownBytes: number;
  /** Lines that the server logged as errors. */
  readonly errorLines: readonly string[];
}

const CONNECTIONS = 32;
// Before it is measured, the server has seen everything once: compiled, cached, grown to its working size.
const WARM_UP = 3_000;
const WARM_UP_SEED = 1_000_000;
// Idle sessions, kept results and memories of ended sessions are gone after it.
const SETTLE_MS = 8_000;

/** Lets the fuzzer loose on a server in a process of its own, and looks whether anything is left of it. */
export async function proveFuzz({ settleMs = SETTLE_MS, ...options }: FuzzProofOptions): Promise<FuzzProof> {
  const { requests, seed, only } = options;
  let output = '';
  using server = await startModule(new URL('target.ts', import.meta.url), {
    execArgv: ['--expose-gc'],
    onOutput: (text) => {
      output += text;
    },
  });
  const { port } = server;
  if (only === undefined)
    await fuzz({ port, connections: CONNECTIONS, seed: seed + WARM_UP_SEED, requests: Math.min(WARM_UP, requests) });
  await pause(settleMs);
  const before = await server.liveBytes();
  const result = await fuzz({ ...options, port, connections: CONNECTIONS });
  await pause(settleMs);
  const grownBytes = (await server.liveBytes()) - before;
  const offences = [...result.offences, ...(await offencesAfterwards(port))];
  return { ...result, offences, grownBytes, errorLines: output.split('\n').filter((line) => line !== '') };
}

// A server that has survived must still work, and nothing may have reached the prototype of all objects.
async function offencesAfterwards(port: number): Promise<string[]> {
  await using session = await connect(`http://127.0.0.1:${port}`).session({ split: 'train', index: 0 });
  const { text } = await session.call('echo', { text: 'still here' });
  const polluted = await session.call('polluted', {});
  return [
    ...(text === 'still here' ? [] : [`an episode afterwards gave '${text}'`]),
    ...(polluted.text === '[]' ? [] : [`the prototype of all objects has ${polluted.text}`]),
  ];
}
