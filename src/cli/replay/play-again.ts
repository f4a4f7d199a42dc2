import type { JsonValue } from '../../protocol/index.ts';
import { blockDifferences, type Difference, differencesOf, type RecordedEpisode } from '../../records/index.ts';
import { makeCall, toTold } from '../shared/calls.ts';
import {
  type Chosen,
  chooseTask,
  type EpisodeOptions,
  findEnvironment,
  openEpisode,
  withSession,
} from '../shared/episode.ts';
import { waitFor } from '../shared/waiting.ts';
import type { OpenServer } from '../shared/with-server.ts';

/** What differs, and where: call 0 is the prompt. */
export interface PlacedDifference extends Omit<Difference, 'what'> {
  readonly call: number;
  readonly tool?: string;
  readonly what: Difference['what'] | 'calls';
}

/** How an episode went that was played again. */
export interface Replay {
  readonly environment: string;
  readonly choice: Chosen;
  /** How many calls were made, of those recorded. */
  readonly played: number;
  readonly recorded: number;
  readonly differences: readonly PlacedDifference[];
}

/** Which episode it is, if not the record's, and what it needs. */
export interface Again extends EpisodeOptions {
  readonly secrets: Readonly<Record<string, string>>;
}

/** Makes the calls of a record in a new session, and compares. */
export async function playAgain(server: OpenServer, record: RecordedEpisode, options: Again): Promise<Replay> {
  const { signal } = server;
  const environment = await findEnvironment(server, options.environment ?? record.environment);
  // What the command line says of the task replaces the record's.
  const isSaid = [options.split, options.index, options.task].some((each) => each !== undefined);
  const choice = isSaid ? await chooseTask(environment, options, signal) : record.choice;
  const session = await openEpisode(environment, choice, { secrets: options.secrets, signal });
  return withSession(session, server, async () => {
    const differences: PlacedDifference[] = [];
    const prompt = await waitFor('setting up the episode', session.prompt({ signal }));
    if (record.prompt !== undefined)
      for (const each of blockDifferences(record.prompt, prompt)) differences.push({ call: 0, ...each });
    let played = 0;
    let hasFinished = false;
    for (const call of record.calls) {
      if (hasFinished && !isRefusal(call.told?.failure?.reason)) break;
      const made = await makeCall(session, call, signal);
      played += 1;
      hasFinished ||= made.result?.finished === true;
      for (const each of differencesOf(call.told, toTold(made)))
        differences.push({ call: played, tool: call.tool, ...each });
    }
    const recorded = record.calls.length;
    if (played < recorded) differences.push(endedEarly(played, recorded));
    return { environment: environment.name, choice, played, recorded, differences };
  });
}

// Calls after the end are refused, and were when they were recorded.
function isRefusal(reason: string | undefined): boolean {
  return reason === 'episode_finished';
}

function endedEarly(played: JsonValue, recorded: JsonValue): PlacedDifference {
  return { call: played as number, what: 'calls', recorded, now: played };
}
