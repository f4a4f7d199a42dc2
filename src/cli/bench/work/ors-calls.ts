import type { Lane, Player } from '../load/drive.ts';
import type { LoadProblem } from '../load/problem.ts';
import { OrsEpisode, type OrsWork } from './ors-episode.ts';

/** Calls one tool over and over, in an episode of its own; a new one takes the place of one that has ended or refuses. */
export function orsCalls(work: OrsWork, lane: Lane): Player {
  let episode: OrsEpisode | undefined;
  let isReady = false;
  const end = async () => {
    // That the last one is gone already is what was wanted.
    await episode?.end();
    episode = undefined;
    isReady = false;
  };
  return {
    get isReady() {
      return isReady;
    },
    async prepare(): Promise<LoadProblem | undefined> {
      await end();
      episode = new OrsEpisode(work, lane);
      // The prompt waits for setup, whose time is not that of a call.
      const problem = (await episode.begin()) ?? (await episode.read('prompt'));
      isReady = problem === undefined;
      return problem;
    },
    async play(): Promise<LoadProblem | undefined> {
      const outcome = await (episode as OrsEpisode).call();
      if (outcome === 'ok') return undefined;
      if (outcome === 'finished') {
        isReady = false;
        return undefined;
      }
      // Used up, or in a state that refuses this call: the next call gets a new episode, and is not refused as well.
      if (outcome.kind === 'gone' || outcome.kind === 'tool') isReady = false;
      return outcome;
    },
    end,
  };
}
