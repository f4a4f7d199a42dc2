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
    const { owner, lastAlive, isOwnerGone } = journal;
    if (json || owner === undefined) return;
    const process = `process ${owner.pid} on ${owner.host}`;
    const use = isOwnerGone ? `Last used by ${process}, which has ended without closing it` : `In use by ${process}`;
    terminal.note(`${use}; last sign of life ${toTime(lastAlive ?? owner.since)}.`);
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
  /** What ended the episode, if it has ended. */
  readonly end?: unknown;
  readonly records: number;
}

function summarize({ key, first, last, lastSeq }: JournalEntry<AnyRecord>): Summary {
  const { sid, identity, environment, durability, callId, tool } = first;
  return {
    key,
    ...{ sid, identity, environment, durability, callId, tool },
    // All that is left of an episode that has ended may be its end, which repeats when it began.
    since: typeof first.since === 'number' ? first.since : first.at,
    lastAt: last.at,
    lastType: last.type,
    ...(last.type === 'close' && { end: last.end }),
    records: lastSeq,
  };
}

const HEAD = ['SESSION', 'IDENTITY', 'ENVIRONMENT', 'KEPT BY', 'SINCE', 'RECORDS', 'LAST', ''];

function toRow(summary: Summary): string[] {
  const { key, sid, identity, environment, durability, since, lastAt, records } = summary;
  const cells = [sid ?? key, identity, environment, durability].map((cell) => toSafeText(String(cell ?? '-')));
  return [...cells, toTime(since), String(records), toLast(summary), toTime(lastAt)];
}

function isCall({ callId }: Summary): boolean {
  return callId !== undefined;
}

const CALLS_HEAD = ['CALL', 'IDENTITY', 'TOOL', 'SINCE', 'LAST', ''];

function toCallRow(summary: Summary): string[] {
  const { callId, identity, tool, since, lastAt } = summary;
  const cells = [callId, identity, tool].map((cell) => toSafeText(String(cell || '-')));
  return [...cells, toTime(since), toLast(summary), toTime(lastAt)];
}

// Types of records are made for programs: `end` is that of a call, while its episode goes on.
const LAST = new Map([
  ['create', 'created'],
  ['setup', 'set up'],
  ['prompt', 'prompt read'],
  ['begin', 'call began'],
  ['end', 'call ended'],
  ['touch', 'used'],
  ['own', 'taken over'],
  ['tool_begin', 'call began'],
  ['tool_end', 'call ended'],
]);

function toLast({ lastType, end }: Summary): string {
  return toSafeText(end === undefined ? (LAST.get(lastType) ?? lastType) : `ended: ${end}`);
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}
