import type { JournalView } from '../../journal/index.ts';
import { Failure, misuse } from '../shared/failure.ts';
import type { AnyRecord } from './with-journal.ts';

/** The key of the episode that a key or a session id means, or of the call of a toolkit that an id means, in the journal of a folder. */
export function findEpisode(journal: JournalView<AnyRecord>, text: string, folder: string): string {
  if (journal.read(text).length > 0) return text;
  const keys = [...journal.entries()].filter(({ first }) => (first.sid ?? first.callId) === text).map(({ key }) => key);
  const [key, ...others] = keys;
  if (key === undefined)
    throw new Failure(`there is no episode '${text}' in this journal. List them: tiltyard journal ls ${folder}`);
  if (others.length === 0) return key;
  throw misuse(
    `'${text}' means ${keys.length} episodes. Give a key: ${keys.map((each) => JSON.stringify(each)).join(', ')}`,
  );
}
