import type { LogEvent } from './events.ts';
import { answersOf, type EpisodeRecord, type Rule, runsOf } from './record.ts';

// Lines wait for 10 ms before they are written, on a busy machine longer: a kill loses those of its last moments.
const LOST_MS = 1_000;

// Clients of ours repeat a request by themselves, and each that is refused has a line of its own.
const REPEATING = /^(client|oxp)/;

type CallLine = Extract<LogEvent, { what: 'call' }>;

/** What must hold between the server's log, the author's code and the clients: one end for each call, the same for all. */
export const LOG_RULES: Readonly<Record<string, Rule>> = {
  'a call that ran has exactly one line in the log, unless the server is killed before': function* (record) {
    for (const run of record.server) {
      if (run.what !== 'run') continue;
      const { token, tool, life } = run;
      const lines = callLines(record, token).filter((line) => line.life === life);
      const end = record.server.find((event) => event.what === 'ran' && event.token === token && event.life === life);
      if (lines.length === 1 || (lines.length === 0 && mayBeLost(record, life, end?.at))) continue;
      yield `${token} ran ${tool} in life ${life} and has ${lines.length} lines: ${outcomesOf(lines)}`;
    }
  },
  'a call that was sent once has at most one line in the log': function* (record) {
    if (REPEATING.test(record.episode)) return;
    const sent = record.client.flatMap((event) => (event.what === 'sent' ? [event.token] : []));
    for (const token of sent) {
      const lines = callLines(record, token);
      // Of one that ran, the rule above tells.
      if (lines.length < 2 || runsOf(record, token) > 0 || sent.indexOf(token) !== sent.lastIndexOf(token)) continue;
      yield `${token} has ${lines.length} lines: ${outcomesOf(lines)}`;
    }
  },
  'a line in the log is of a call that ran, or that a client sent': function* (record) {
    const sent = new Set(record.client.flatMap((event) => (event.what === 'sent' ? [event.token] : [])));
    for (const line of record.log)
      if (line.what === 'call' && !sent.has(line.token) && runsOf(record, line.token) === 0)
        yield `${line.token}, a call of ${line.tool}, ended as ${line.outcome}`;
  },
  'a call is returned in the log only if its tool returned, and an error only if it did not': function* (record) {
    for (const line of record.log) {
      if (line.what !== 'call') continue;
      const { token, life, outcome } = line;
      const ends = record.server.flatMap((event) =>
        event.what === 'ran' && event.token === token && event.life === life ? [event] : [],
      );
      const returned = ends.some(({ scored }) => scored !== undefined);
      if (outcome === 'returned' && !returned)
        yield `${token} is returned, and its tool did not return in life ${life}`;
      if ((outcome === 'tool_error' || outcome === 'env_error') && returned)
        yield `${token} is ${outcome}, and returned`;
    }
  },
  'a client is told the outcome that is in the log, or none': function* (record) {
    for (const { token, answer, at } of answersOf(record)) {
      const { outcome } = answer;
      const lines = callLines(record, token);
      if (outcome === undefined || lines.some((line) => line.outcome === outcome)) continue;
      // A session that is over takes no more calls, and tells how it ended.
      if (lines.length === 0 && (outcome === 'cancelled' || outcome === 'expired')) continue;
      if ([...record.killed.values()].some((killedAt) => Math.abs(at - killedAt) <= LOST_MS)) continue;
      yield `${token}: the client was told ${outcome}, the log says ${outcomesOf(lines)}`;
    }
  },
  'a session that was set up has exactly one line in the log, unless the server is killed before': function* (record) {
    for (const life of livesOf(record)) {
      const lines = sessionLines(record, life);
      const setups = record.server.filter((event) => event.what === 'setup' && event.life === life);
      const ends = record.server.filter((event) => event.what === 'torn down' && event.life === life);
      const lost = setups.filter((_, index) => mayBeLost(record, life, ends[index]?.at)).length;
      if (lines.length <= setups.length && lines.length >= setups.length - lost) continue;
      yield `${setups.length} sessions and ${lines.length} lines in life ${life}: ${outcomesOf(lines)}`;
    }
  },
  'an episode is finished in the log if a step of it says so, and only then': function* (record) {
    for (const life of livesOf(record)) {
      const [line, another] = sessionLines(record, life);
      // Where there were two sessions in turn, nobody can say which of them it was.
      if (line === undefined || another !== undefined) continue;
      const finished = record.server.flatMap((event) =>
        event.what === 'ran' && event.life === life && event.scored?.finished ? [event.token] : [],
      );
      const scored = finished.filter((token) => callLines(record, token).some(({ outcome }) => outcome === 'returned'));
      if ((line.outcome === 'finished') === scored.length > 0) continue;
      yield `it ended as ${line.outcome}, and these finished it: ${scored.join(', ') || 'none'}`;
    }
  },
};

function callLines({ log }: EpisodeRecord, token: string): CallLine[] {
  return log.filter((line) => line.what === 'call' && line.token === token) as CallLine[];
}

function sessionLines({ log }: EpisodeRecord, life: number): LogEvent[] {
  return log.filter((line) => line.what === 'session ended' && line.life === life);
}

function livesOf({ server, log }: EpisodeRecord): Set<number> {
  return new Set([...server, ...log].map(({ life }) => life));
}

/** Whether the line about something that ended at this time, if it did, may have been lost with its server. */
function mayBeLost({ killed }: EpisodeRecord, life: number, endedAt = Number.POSITIVE_INFINITY): boolean {
  const killedAt = killed.get(life);
  return killedAt !== undefined && endedAt > killedAt - LOST_MS;
}

function outcomesOf(lines: readonly LogEvent[]): string {
  return lines.map(({ outcome }) => outcome).join(', ') || 'nothing';
}
