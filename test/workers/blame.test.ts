import { describe, expect, test } from 'vitest';
import { DEFAULT_SESSION_OPTIONS, type Loss, type OpenEpisode } from '../../src/sessions/index.ts';
import { WorkerRuntime } from '../../src/workers/index.ts';
import { poolOf, run, start } from './pools.ts';

/** An episode that has begun, and what it is told when it is lost. */
interface Begun {
  readonly episode: OpenEpisode;
  readonly lost: Promise<Loss>;
}

/** One worker with so many episodes, each of which has begun; `end` ends its process. */
async function episodesIn(count: number): Promise<{ readonly begun: Begun[]; end(): void }> {
  const limits = { graceMs: 200 };
  const pool = await poolOf(1, { limits });
  const runtime = new WorkerRuntime(pool, { ...DEFAULT_SESSION_OPTIONS, ...limits });
  const episodes = await Promise.all(Array.from({ length: count }, (_value, index) => runtime.open(start(index))));
  const begun = await Promise.all(episodes.map(begin));
  return { begun, end: () => void process.kill(pool.pids[0] ?? 0, 'SIGKILL') };
}

async function begin(episode: OpenEpisode): Promise<Begun> {
  let onLost: (loss: Loss) => void = () => {};
  const lost = new Promise<Loss>((resolve) => {
    onLost = resolve;
  });
  await new Promise<void>((resolve) =>
    episode.begin(
      () => resolve(),
      (loss) => onLost(loss),
    ),
  );
  return { episode, lost };
}

/** Runs a tool that waits, until it does. */
async function untilWaiting({ episode }: Begun): Promise<void> {
  await new Promise<void>((resolve) => run(episode, 'wait', { running: resolve }));
}

async function chargesOf(begun: readonly Begun[]): Promise<number[]> {
  return Promise.all(begun.map(async ({ lost }) => (await lost).charge));
}

describe('H5: of the episodes of a worker that has ended', () => {
  test.each(['exit', 'exit_later', 'abort', 'limited'])(
    'only the one is charged whose tool did it (%s)',
    async (tool) => {
      const { begun } = await episodesIn(3);
      const [waiting, guilty] = begun as [Begun, Begun];
      await untilWaiting(waiting);
      run(guilty.episode, tool);
      expect(await chargesOf(begun)).toEqual([0, 1, 0]);
    },
  );

  test('all that ran are charged equally if nobody knows who did it', async () => {
    const { begun, end } = await episodesIn(3);
    await Promise.all(begun.slice(0, 2).map(untilWaiting));
    end();
    expect(await chargesOf(begun)).toEqual([0.5, 0.5, 0]);
  });

  test('none is charged if nothing ran', async () => {
    const { begun, end } = await episodesIn(2);
    end();
    expect(await chargesOf(begun)).toEqual([0, 0]);
  });

  test('none of the others is charged for one that was closed and still blocks', async () => {
    const { begun } = await episodesIn(2);
    const [waiting, stuck] = begun as [Begun, Begun];
    await untilWaiting(waiting);
    run(stuck.episode, 'loop');
    await stuck.episode.close('deleted');
    expect(await waiting.lost).toMatchObject({
      charge: 0,
      processEnd: expect.stringContaining("tool 'loop' of environment"),
    });
  });
});
