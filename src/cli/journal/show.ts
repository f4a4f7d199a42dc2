import { cutText } from '../../core/index.ts';
import { toSafeJson, toSafeText } from '../shared/safe-text.ts';
import { processTerminal } from '../shared/terminal.ts';
import { findEpisode } from './find-episode.ts';
import { type AnyRecord, withJournal } from './with-journal.ts';

/** Prints the records of an episode, with long inputs and results cut. */
export async function show(
  folder: string,
  episode: string,
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const terminal = processTerminal();
  await withJournal(folder, (journal) => {
    for (const [index, record] of journal.read(findEpisode(journal, episode)).entries())
      if (json) terminal.printJson({ seq: index + 1, ...record });
      else for (const line of toLines(index + 1, record)) terminal.print(line);
  });
}

const LONGEST_VALUE = 200;

function toLines(seq: number, { type, at, ...fields }: AnyRecord): string[] {
  const head = `${seq}  ${new Date(at).toISOString()}  ${toSafeText(type)}`;
  return [head, ...Object.entries(fields).map(([name, value]) => `    ${toSafeText(name)}: ${toText(value)}`)];
}

function toText(value: unknown): string {
  return cutText(toSafeJson(value), LONGEST_VALUE);
}
