import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rollouts, type Summary } from 'tiltyard/rollouts';
import { startModule } from '../../bench/child.ts';

/** How far a run was, and what its process took. */
export interface Sample {
  readonly episodes: number;
  readonly residentBytes: number;
  readonly perSecond: number;
}

/** What is played. */
export interface RunsProof {
  readonly episodes: number;
  readonly samples: number;
  readonly onSample: (sample: Sample) => void;
}

/** What came of it. */
export interface ProvenRuns {
  readonly samples: readonly Sample[];
  readonly summary: Summary;
  /** From the first sample to the end of the run. */
  readonly grownBytes: number;
}

const LOOK_MS = 50;

// Until then the heap of a new process grows to the size that it works with.
const WARM_UP_EPISODES = 1_000;

/** Plays a run of many episodes with a keyless policy, and watches the memory of this process. */
export async function proveRuns({ episodes, samples: count, onSample }: RunsProof): Promise<ProvenRuns> {
  const samples: Sample[] = [];
  const warmUp = Math.min(WARM_UP_EPISODES, episodes / 2);
  const server = await startModule(new URL('target.ts', import.meta.url));
  const folder = await mkdtemp(join(tmpdir(), 'tiltyard-runs-'));
  let watching: NodeJS.Timeout | undefined;
  try {
    const { summary } = await rollouts({
      target: `http://127.0.0.1:${server.port}`,
      agent: { calls: [{ tool: 'submit', input: {} }] },
      n: episodes,
      out: join(folder, 'run'),
      onStart({ state, startedAt }) {
        watching = setInterval(() => {
          if (state.done < Math.max(warmUp, (samples.length * episodes) / count)) return;
          const perSecond = (state.done * 1000) / (performance.now() - startedAt);
          const sample = { episodes: state.done, residentBytes: residentNow(), perSecond };
          samples.push(sample);
          onSample(sample);
        }, LOOK_MS);
      },
    });
    const last = residentNow();
    return { samples, summary, grownBytes: last - (samples[0]?.residentBytes ?? last) };
  } finally {
    clearInterval(watching);
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Without what only waits to be collected, which comes and goes by a hundred megabytes. */
function residentNow(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}
