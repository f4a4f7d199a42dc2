import { processTerminal } from '../shared/terminal.ts';
import { withJournal } from './with-journal.ts';

/** Copies a journal as it is at one moment. */
export async function backup(folder: string, to: string): Promise<void> {
  await withJournal(folder, (journal) => journal.backup(to));
  processTerminal().note(`Copied ${folder} to ${to}.`);
}
