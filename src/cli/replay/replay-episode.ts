import { credentialsIn } from '../../client/index.ts';
import { type PlacedDifference, playAgain, type RecordedEpisode } from '../../records/index.ts';
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
export async function replayEpisode(server: OpenServer, record: RecordedEpisode, options: Again): Promise<Replay> {
  const { signal } = server;
  const environment = await findEnvironment(server, options.environment ?? record.environment);
  // What the command line says of the task replaces the record's.
  const isSaid = [options.split, options.index, options.task].some((each) => each !== undefined);
  const choice = isSaid ? await chooseTask(environment, options, signal) : record.choice;
  const session = await openEpisode(environment, choice, { secrets: options.secrets, signal });
  return withSession(session, server, async () => {
    // Also where no prompt was recorded: it waits for setup, and says so.
    const prompt = await waitFor('setting up the episode', session.prompt({ signal }));
    const { told, differences } = await playAgain(record, {
      prompt: async () => prompt,
      call: async (call) => toTold(await makeCall(session, call, signal)),
      secrets: { ...options.secrets, ...credentialsIn(server) },
    });
    return {
      environment: environment.name,
      choice,
      played: told.length,
      recorded: record.calls.length,
      differences,
    };
  });
}
