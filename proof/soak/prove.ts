import { setTimeout as pause } from 'node:timers/promises';
import { type Held, type NodeServer, startModule } from '../../bench/child.ts';
import { slopeOf } from '../../bench/slope.ts';
import { playBatch } from './drive.ts';

/** How much is done, and how often memory is looked at. */
export interface SoakOptions {
  readonly sessions: number;
  readonly callsPerSession: number;
  readonly samples: number;
  readonly onSample?: (sample: Sample) => void;
}

/** What the server held after so many calls, with everything ended. */
export interface Sample extends Held {
  readonly calls: number;
  readonly sessions: number;
  readonly liveBytes: number;
  readonly callsPerSecond: number;
}

/** What was proven, or not. */
export interface SoakProof {
  /** What the server held before the first request. */
  readonly before: Held;
  readonly samples: readonly Sample[];
  /** By a straight line through the samples after the warm-up; undefined if there are too few of them to say. */
  readonly bytesPer100kCalls: number | undefined;
  /** Descriptors, timers and other handles that were left over at any sample. */
  readonly leftovers: readonly string[];
}

const CONNECTIONS = 32;
// Until then the server is still being compiled and grows to its working size.
const WARM_UP_CALLS = 300_000;
// Through fewer points a line says little.
const LEAST_SAMPLES = 8;
// Longer than results and ended sessions are remembered by the target.
const SETTLE_MS = 1_500;

/** Plays sessions until there have been so many, and looks whether anything is left of them. */
export async function proveSoak({
  sessions,
  callsPerSession,
  samples: count,
  onSample,
}: SoakOptions): Promise<SoakProof> {
  using server = await startModule(new URL('target.ts', import.meta.url), { execArgv: ['--expose-gc'] });
  const before = await server.held();
  const samples: Sample[] = [];
  const batch = Math.ceil(sessions / count);
  for (let number = 1; number <= count; number += 1) {
    const begun = performance.now();
    await playBatch({ port: server.port, connections: CONNECTIONS, sessions: batch, callsPerSession });
    const seconds = (performance.now() - begun) / 1000;
    const sample = {
      ...(await look(server)),
      calls: number * batch * callsPerSession,
      sessions: number * batch,
      callsPerSecond: (batch * callsPerSession) / seconds,
    };
    samples.push(sample);
    onSample?.(sample);
  }
  const warm = samples.filter(({ calls }) => calls > WARM_UP_CALLS);
  const slope = slopeOf(warm.map(({ calls, liveBytes }) => [calls, liveBytes]));
  const bytesPer100kCalls = warm.length < LEAST_SAMPLES ? undefined : slope * 100_000;
  const leftovers = samples.flatMap((sample) => leftoversOf(before, sample));
  return { before, samples, bytesPer100kCalls, leftovers };
}

async function look(server: NodeServer): Promise<Held & { liveBytes: number }> {
  await pause(SETTLE_MS);
  return { ...(await server.held()), liveBytes: await server.liveBytes() };
}

function leftoversOf(before: Held, { calls, descriptors, resources }: Sample): string[] {
  const more = Object.entries(resources).filter(([kind, count]) => count > (before.resources[kind] ?? 0));
  return [
    ...(descriptors > before.descriptors ? [`${descriptors - before.descriptors} descriptors`] : []),
    ...more.map(([kind, count]) => `${count - (before.resources[kind] ?? 0)} of ${kind}`),
  ].map((what) => `after ${calls} calls: ${what} left over`);
}
