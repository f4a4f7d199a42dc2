import { toRewardText } from '../shared/numbers.ts';
import type { Game, PlayedCall } from './game.ts';
import type { Script, ScriptCall } from './script.ts';

// Sums of decimals differ in their last digits from machine to machine.
const TOLERANCE = 1e-9;

/** How a game differs from the script that it was played by; empty if it does not. */
export function compare({ calls: recorded }: Script, { calls }: Game): string[] {
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
export function hasExpectations({ calls }: Script): boolean {
  return !calls.every(hasNoExpectation);
}

function compareCall({ result, failure }: PlayedCall, expected: ScriptCall): string[] {
  if (failure !== undefined) {
    // Where nothing was expected a tool may say no; a tool that breaks, or is not there, is never what was meant.
    const isExpected =
      expected.failure === failure.reason || (hasNoExpectation(expected) && failure.reason === 'tool_error');
    return isExpected ? [] : [`it failed (${failure.reason}: ${failure.message}), recorded: ${toRecorded(expected)}`];
  }
  if (expected.failure !== undefined) return [`it succeeded, recorded: ${toRecorded(expected)}`];
  const differences: string[] = [];
  const { reward = null, finished = false } = result ?? {};
  if (expected.reward !== undefined && !isSame(reward, expected.reward))
    differences.push(`reward ${toRewardText(reward)}, recorded ${toRewardText(expected.reward)}`);
  if (expected.finished !== undefined && finished !== expected.finished)
    differences.push(
      finished ? 'it finished the episode, recorded: it did not' : 'it did not finish the episode, recorded: it did',
    );
  return differences;
}

function hasNoExpectation({ reward, finished, failure }: ScriptCall): boolean {
  return reward === undefined && finished === undefined && failure === undefined;
}

function toRecorded({ failure, reward }: ScriptCall): string {
  if (failure !== undefined) return `a failure (${failure})`;
  return reward === undefined ? 'a success' : `reward ${toRewardText(reward)}`;
}

function isSame(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  return Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a), Math.abs(b));
}
