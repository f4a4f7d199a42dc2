import { type Difference, differencesOf, type RecordedCall, type RecordedEpisode } from '../../records/index.ts';
import { type PlayedCall, toTold } from '../shared/calls.ts';
import { toRewardText } from '../shared/numbers.ts';
import type { Game } from './game.ts';

/** How a game differs from the script that it was played by; empty if it does not. Texts may differ: `tiltyard replay` compares them. */
export function compare({ calls: recorded }: RecordedEpisode, { calls }: Game): string[] {
  const differences = calls.flatMap((played, at) => {
    const expected = recorded[at];
    return expected === undefined
      ? []
      : compareCall(played, expected).map((text) => `call ${at + 1} (${played.tool}): ${text}`);
  });
  if (calls.length < recorded.length)
    differences.push(`the episode finished at call ${calls.length} of ${recorded.length}`);
  return differences;
}

/** Whether a script says of any call what came of it. */
export function hasExpectations({ calls }: RecordedEpisode): boolean {
  return calls.some(({ told }) => told !== undefined);
}

function compareCall(played: PlayedCall, expected: RecordedCall): string[] {
  return differencesOf(expected.told, toTold(played)).flatMap(
    (difference) => toText(difference, expected, played) ?? [],
  );
}

function toText(
  { what, recorded, now }: Difference,
  { told }: RecordedCall,
  { failure }: PlayedCall,
): string | undefined {
  switch (what) {
    case 'failure': {
      const before = told?.failure === undefined ? succeeded(told?.reward) : `a failure (${told.failure.reason})`;
      const after = failure === undefined ? 'it succeeded' : `it failed (${failure.reason}: ${failure.message})`;
      return `${after}, recorded: ${before}`;
    }
    case 'reward':
      return `reward ${toRewardText(now as number | null)}, recorded ${toRewardText(recorded as number | null)}`;
    case 'finished':
      return now === true
        ? 'it finished the episode, recorded: it did not'
        : 'it did not finish the episode, recorded: it did';
    default:
      return undefined;
  }
}

function succeeded(reward: number | null | undefined): string {
  return reward === undefined ? 'a success' : `reward ${toRewardText(reward)}`;
}
