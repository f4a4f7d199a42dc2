import { type RecordedEpisode, readEpisode } from '../../records/index.ts';
import { toRecordMisuse } from '../shared/unreadable.ts';
import type { Player } from './game.ts';

/** Reads the episode that a script plays: a record, or a game of earlier versions. */
export async function readScript(file: string): Promise<RecordedEpisode> {
  return readEpisode(file).catch((thrown: unknown) => {
    throw toRecordMisuse(thrown);
  });
}

/** Plays the calls of a script, one after the other. */
export function scriptPlayer({ calls }: RecordedEpisode): Player {
  let at = 0;
  return {
    async next() {
      const call = calls[at];
      at += 1;
      return call === undefined ? undefined : { tool: call.tool, input: call.input };
    },
  };
}
