import type { Lane, Player } from '../load/drive.ts';
import type { LoadProblem } from '../load/problem.ts';
import { OrsEpisode, type OrsWork } from './ors-episode.ts';

/** What an episode consists of, in the order in which it happens. */
export const EPISODE_PARTS = ['create', 'prompt', 'tools', 'call', 'delete'] as const;

/** Plays whole episodes: begins one, reads prompt and tools, calls, ends it. */
export function orsEpisodes(work: OrsWork & { readonly steps: number }, lane: Lane): Player {
  let episode: OrsEpisode | undefined;
  const timed = async <Value>(name: (typeof EPISODE_PARTS)[number], act: () => Promise<Value>): Promise<Value> => {
    const begun = performance.now();
    const value = await act();
    lane.recordOperation(name, performance.now() - begun);
    return value;
  };

  async function play(current: OrsEpisode): Promise<LoadProblem | 'left' | undefined> {
    const problem =
      (await timed('create', () => current.begin())) ??
      (await timed('prompt', () => current.read('prompt'))) ??
      (await timed('tools', () => current.read('task_tools')));
    if (problem !== undefined) return problem;
    for (let step = 0; step < work.steps; step += 1) {
      if (lane.isOver()) return 'left';
      const outcome = await timed('call', () => current.call());
      if (outcome === 'finished') break;
      if (outcome !== 'ok') return outcome;
    }
    return undefined;
  }

  return {
    isReady: true,
    prepare: async () => undefined,
    async play() {
      episode = new OrsEpisode(work, lane);
      const played = await play(episode);
      const ended = await timed('delete', () => (episode as OrsEpisode).end());
      return played ?? ended;
    },
    end: async () => void (await episode?.end()),
  };
}
