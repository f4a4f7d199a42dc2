import { cutText } from '../../core/index.ts';
import { isObject } from '../../protocol/index.ts';
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
    for (const [index, record] of journal
      .read(findEpisode(journal, episode, folder))
      .map(withoutSecrets)
      .entries())
      if (json) terminal.printJson({ seq: index + 1, ...record });
      else for (const line of toLines(index + 1, record)) terminal.print(line);
  });
}

/** What is shown gets into tickets and chats: of secrets, only the names. */
function withoutSecrets(record: AnyRecord): AnyRecord {
  const { start } = record;
  if (!isObject(start) || !isObject(start.secrets)) return record;
  const secrets = Object.fromEntries(Object.keys(start.secrets).map((name) => [name, '(hidden)']));
  return { ...record, start: { ...start, secrets } };
}

const LONGEST_VALUE = 200;

function toLines(seq: number, { type, at, ...fields }: AnyRecord): string[] {
  const head = `${seq}  ${new Date(at).toISOString()}  ${toSafeText(type)}`;
  return [head, ...Object.entries(fields).map(([name, value]) => `    ${toSafeText(name)}: ${toText(value)}`)];
}

function toText(value: unknown): string {
  return cutText(toSafeJson(value), LONGEST_VALUE);
}
