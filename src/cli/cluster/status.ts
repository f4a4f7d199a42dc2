import type { Beat } from '../../cluster/index.ts';
import { Failure } from '../shared/failure.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { toTable } from '../shared/table.ts';
import { processTerminal } from '../shared/terminal.ts';
import { watchBeats } from './watch-beats.ts';

/** Prints a line for each node of a cluster. */
export async function status(nats: string, { json = false }: { readonly json?: boolean }): Promise<void> {
  const terminal = processTerminal();
  const beats = await watchBeats(nats, (heard) => [...heard.values()]);
  if (beats.length === 0)
    throw new Failure(
      'no node of a cluster was heard. Start one with tiltyard serve --cluster; if the nodes have TILTYARD_JOURNAL_KEY, set it here as well',
    );
  beats.sort((one, other) => one.name.localeCompare(other.name) || one.since - other.since);
  if (json) for (const beat of beats) terminal.printJson(toSummary(beat));
  else for (const line of toTable([HEAD, ...beats.map(toRow)])) terminal.print(line);
}

const HEAD = ['NODE', 'ID', 'STATE', 'SESSIONS', 'SINCE', 'VERSION'];

interface Summary {
  readonly name: string;
  readonly id: string;
  readonly state: 'alive' | 'draining' | 'drained';
  readonly sessions: number;
  readonly maxSessions: number;
  readonly since: string;
  readonly version: string;
}

function toSummary({ name, id, draining, movable, sessions, maxSessions, since, version }: Beat): Summary {
  const state = !draining ? 'alive' : movable > 0 ? 'draining' : 'drained';
  return { name, id, state, sessions, maxSessions, since: new Date(since).toISOString(), version };
}

function toRow(beat: Beat): string[] {
  const { name, id, state, sessions, since, version } = toSummary(beat);
  return [toSafeText(name), toSafeText(id), state, String(sessions), since, toSafeText(version)];
}
