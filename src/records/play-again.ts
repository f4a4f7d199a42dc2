import type { Secrets } from '../core/index.ts';
import type { JsonValue, WireBlock } from '../protocol/index.ts';
import { blockDifferences, type Difference, differencesOf } from './differences.ts';
import type { RecordedCall, RecordedEpisode, ToldResult } from './episode-types.ts';
import { withoutSecrets } from './stored-values.ts';

/** A new session of the same task, as far as a record is compared with it. */
export interface SecondPlay {
  /** What the agent would read first. */
  prompt(): Promise<readonly WireBlock[]>;
  /** Makes a call, and says what came of it. */
  call(call: RecordedCall): Promise<ToldResult>;
  /** What no record holds, such as keys: it is hidden before anything is compared. */
  readonly secrets?: Secrets;
}

/** What differs, and where: call 0 is the prompt. */
export interface PlacedDifference extends Omit<Difference, 'what'> {
  readonly call: number;
  readonly tool?: string;
  /** `calls`: the episode was finished before all of them were made. */
  readonly what: Difference['what'] | 'calls';
}

/** How an episode went that was played again. */
export interface PlayedAgain {
  /** What came of each call that was made. */
  readonly told: readonly ToldResult[];
  readonly differences: readonly PlacedDifference[];
}

/** Makes the calls of a record one after the other, until the episode is finished, and compares. */
export async function playAgain(
  { prompt, calls }: Pick<RecordedEpisode, 'prompt' | 'calls'>,
  play: SecondPlay,
): Promise<PlayedAgain> {
  const hide = <Value>(value: Value) => withoutSecrets(value, play.secrets ?? {});
  const told: ToldResult[] = [];
  const differences: PlacedDifference[] = [];
  if (prompt !== undefined)
    for (const each of blockDifferences(hide(prompt), hide(await play.prompt())))
      differences.push({ call: 0, ...each });
  let hasFinished = false;
  for (const call of calls) {
    if (hasFinished && !isRefusal(call.told?.failure?.reason)) break;
    const now = await play.call(call);
    told.push(now);
    hasFinished ||= now.finished === true;
    for (const each of differencesOf(hide(call.told), hide(now)))
      differences.push({ call: told.length, tool: call.tool, ...each });
  }
  if (told.length < calls.length) differences.push(endedEarly(told.length, calls.length));
  return { told, differences };
}

// Calls after the end are refused, and were when they were recorded.
function isRefusal(reason: string | undefined): boolean {
  return reason === 'episode_finished';
}

function endedEarly(played: JsonValue, recorded: JsonValue): PlacedDifference {
  return { call: played as number, what: 'calls', recorded, now: played };
}
