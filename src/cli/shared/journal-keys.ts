import { InvalidJournalKey, parseJournalKeys } from '../../journal/index.ts';
import { misuse } from './failure.ts';

/** The keys in the text of TILTYARD_JOURNAL_KEY; none if there is none. */
export function readJournalKeys(text: string | undefined): Buffer[] {
  if (text === undefined) return [];
  try {
    return parseJournalKeys(text);
  } catch (thrown) {
    if (thrown instanceof InvalidJournalKey) throw misuse(`TILTYARD_JOURNAL_KEY: ${thrown.message}`);
    throw thrown;
  }
}
