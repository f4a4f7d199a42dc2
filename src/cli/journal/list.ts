import type { JournalEntry } from '../../journal/index.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { toTable } from '../shared/table.ts';
import { processTerminal } from '../shared/terminal.ts';
import { type AnyRecord, withJournal } from './with-journal.ts';

/** What is listed. */
export interface ListOptions {
  readonly json?: boolean;
  /** Calls of toolkits instead of episodes. */
  readonly calls?: boolean;
}

/** Prints a line for each episode or call: who has it, of what it is, since when, and what happened last. */
export async function list(folder: string, { json = false, calls = false }: ListOptions): Promise<void> {
  const terminal = processTerminal();
  await withJournal(folder, (journal) => {
    const all = [...journal.entries()].sort((one, other) => one.first.at - other.first.at).map(summarize);
    const entries = all.filter((entry) => isCall(entry) === calls);
    const others = all.length - entries.length;
    if (json) for (const entry of entries) terminal.printJson(entry);
    else if (all.length === 0) terminal.note('The journal is empty.');
    else if (calls) for (const line of toTable([CALLS_HEAD, ...entries.map(toCallRow)])) terminal.print(line);
    else for (const line of toTable([HEAD, ...entries.map(toRow)])) terminal.print(line);
    if (!json && !calls && others > 0) terminal.note(`Calls of toolkits: ${others}. List them with --calls.`);
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
  /** The caller's own id of a call of a toolkit, and its tool. */
  readonly callId?: unknown;
  readonly tool?: unknown;
  readonly since: number;
  readonly lastAt: number;
  readonly lastType: string;
  readonly records: number;
}

function summarize({ key, first, last, lastSeq }: JournalEntry<AnyRecord>): Summary {
  const { sid, identity, environment, durability, callId, tool } = first;
  return {
    key,
    ...{ sid, identity, environment, durability, callId, tool },
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

function isCall({ callId }: Summary): boolean {
  return callId !== undefined;
}

const CALLS_HEAD = ['CALL', 'IDENTITY', 'TOOL', 'SINCE', 'LAST', ''];

function toCallRow({ callId, identity, tool, since, lastAt, lastType }: Summary): string[] {
  const cells = [callId, identity, tool].map((cell) => toSafeText(String(cell || '-')));
  return [...cells, toTime(since), toSafeText(lastType), toTime(lastAt)];
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}
