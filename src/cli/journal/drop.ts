import { confirm, isCancel } from '@clack/prompts';
import { openJournal } from '../../journal/index.ts';
import { EXIT_CODES, Failure, misuse } from '../shared/failure.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { processTerminal } from '../shared/terminal.ts';
import { findEpisode } from './find-episode.ts';
import { journalKeys, withJournal } from './with-journal.ts';

/** Removes all records of an episode, when somebody has said that it is meant. */
export async function drop(
  folder: string,
  episode: string,
  { yes = false }: { readonly yes?: boolean },
): Promise<void> {
  const terminal = processTerminal();
  const found = await withJournal(folder, (journal) => {
    const key = findEpisode(journal, episode, folder);
    return { key, count: journal.read(key).length };
  });
  const name = toSafeText(episode);
  const records = `${found.count} ${found.count === 1 ? 'record' : 'records'}`;
  if (!yes) {
    if (!terminal.isInteractive) throw misuse(`this would remove ${name} with ${records}. Add --yes if you mean it`);
    const answer = await confirm({ message: `Remove ${name} with ${records}?`, initialValue: false });
    if (isCancel(answer) || !answer) throw new Failure('nothing was removed', EXIT_CODES.interrupted);
  }
  // Takes possession, and so is refused while a server runs.
  const journal = await openJournal(folder, { keys: journalKeys(), isService: false });
  try {
    await journal.replace(found.key, undefined);
  } finally {
    await journal.close();
  }
  terminal.note(`Removed ${name} with ${records}.`);
}
