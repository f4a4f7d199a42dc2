import type { JournalEntry } from '../../journal/index.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { toTable } from '../shared/table.ts';
import { processTerminal } from '../shared/terminal.ts';
import { type AnyRecord, withJournal } from './with-journal.ts';

/** Prints a line for each episode: who has it, of what it is, since when, and what happened last. */
export async function list(folder: string, { json = false }: { readonly json?: boolean }): Promise<void> {
  const terminal = processTerminal();
  await withJournal(folder, (journal) => {
    const entries = [...journal.entries()].sort((one, other) => one.first.at - other.first.at).map(summarize);
    if (json) for (const entry of entries) terminal.printJson(entry);
    else if (entries.length === 0) terminal.note('The journal is empty.');
    else for (const line of toTable([HEAD, ...entries.map(toRow)])) terminal.print(line);
    const { owner, lastAlive } = journal;
    if (!json && owner)
      terminal.note(
        `In use by process ${owner.pid} on ${owner.host}; last sign of life ${toTime(lastAlive ?? owner.since)}.`,
      );
  });
}

interface Summary {
  readonly key: string;
  readonly sid?: unknown;
  readonly identity?: unknown;
  readonly environment?: unknown;
  readonly durability?: unknown;
  readonly since: number;
  readonly lastAt: number;
  readonly lastType: string;
  readonly records: number;
}

function summarize({ key, first, last, lastSeq }: JournalEntry<AnyRecord>): Summary {
  const { sid, identity, environment, durability } = first;
  return {
    key,
    ...{ sid, identity, environment, durability },
    since: first.at,
    lastAt: last.at,
    lastType: last.type,
    records: lastSeq,
  };
}

const HEAD = ['SESSION', 'IDENTITY', 'ENVIRONMENT', 'KEPT BY', 'SINCE', 'RECORDS', 'LAST', ''];

function toRow({ key, sid, identity, environment, durability, since, lastAt, lastType, records }: Summary): string[] {
  const cells = [sid ?? key, identity, environment, durability].map((cell) => toSafeText(String(cell ?? '-')));
  return [...cells, toTime(since), String(records), toSafeText(lastType), toTime(lastAt)];
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}
