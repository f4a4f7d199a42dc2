import type { LogEvent, ServerEvent } from '../chaos/events.ts';
import { answersOf, type EpisodeRecord, type Rule } from '../chaos/record.ts';
import { environmentOf } from './episode.ts';

// Two processes on one machine read the same clock, but not at the same moment; and a busy machine lets both wait.
const CLOCK_MS = 50;

// What a process that is killed has printed in its last moments may be lost.
const LOST_MS = 1_000;

/** What an episode begins with in a process. */
const BEGINS: ReadonlySet<string> = new Set(['setup', 'restore']);

/** The name of a rule that clusters have in another form. */
export const LOST_WITH_PROCESS = 'an episode that keeps nothing is lost with its process, and only then';

/** What must hold of how episodes begin and end, where processes are killed. */
export const END_RULES: Readonly<Record<string, Rule>> = {
  'an episode that is kept is lost only if its calls may have ended two processes': function* (record) {
    const environment = environmentOf(record.episode);
    if (environment !== 'replayed' && environment !== 'saved') return;
    for (const { token, answer, at } of answersOf(record)) {
      if (answer.kind !== 'lost') continue;
      const ends = endsBetween(record, beginOf(record), at);
      if (!answer.why.includes('two processes') || ends < 2) yield `${token} after ${ends} ends: ${answer.why}`;
    }
  },
  'each call of an episode that is kept is answered, and never as if the episode were over': function* (record) {
    const environment = environmentOf(record.episode);
    if (environment !== 'replayed' && environment !== 'saved') return;
    const deleted = record.client.find(({ what }) => what === 'deleted')?.at ?? Number.POSITIVE_INFINITY;
    for (const { token, answer, at } of answersOf(record)) {
      const isOver = answer.outcome === 'cancelled' || answer.outcome === 'expired';
      if (at < deleted && (answer.kind === 'unknown' || isOver)) yield `${token}: ${JSON.stringify(answer)}`;
    }
  },
  [LOST_WITH_PROCESS]: (record) => lostOnlyWithProcess(record, toldBeginsOf(record)),
  'an episode that does not give the same again is lost when it is built again': function* (record) {
    if (environmentOf(record.episode) !== 'drifting') return;
    const drifted = answersOf(record).find(({ token, answer }) => token.endsWith('.first') && answer.kind === 'scored');
    if (drifted === undefined) return;
    const rebuilt = record.server.find(({ what, at }) => what === 'setup' && at > drifted.at + CLOCK_MS);
    if (rebuilt === undefined) return;
    for (const { token, answer } of answersOf(record)) {
      const run = record.server.find((event) => event.what === 'run' && event.token === token);
      if (answer.kind !== 'scored' || run === undefined || token === drifted.token) continue;
      if (run.pid === rebuilt.pid && run.at >= rebuilt.at)
        yield `${token} ran in process ${rebuilt.pid}, where it had been built again`;
    }
  },
  'an episode that is lost is an env_error, for its client and in the log, and has no reward of 0': function* (record) {
    for (const { token, answer } of answersOf(record))
      if (answer.kind === 'lost' && answer.outcome !== 'env_error') yield `${token} was told ${answer.outcome}`;
    for (const line of record.log) {
      if (line.what !== 'session ended' || line.lost === undefined) continue;
      const hasFinished = record.server.some((event) => event.what === 'ran' && event.scored?.finished);
      if (line.outcome !== 'env_error' && !(line.outcome === 'finished' && hasFinished))
        yield `it is ${line.outcome} in the log`;
      if (line.reward === 0) yield 'its reward is 0 in the log';
    }
  },
  'an episode lives in one process at a time': function* ({ server, killedPids }) {
    const alive = new Set<number>();
    for (const { what, pid = 0, at } of server) {
      if (what === 'torn down') alive.delete(pid);
      if (!BEGINS.has(what)) continue;
      const others = [...alive].filter((other) => (killedPids.get(other) ?? Number.POSITIVE_INFINITY) > at + CLOCK_MS);
      if (others.length > 0) yield `it begins in ${pid}, and lives in ${others.join(', ')}`;
      alive.add(pid);
    }
  },
  'a process tears down once what it has set up, unless it is killed before': function* ({ server, killedPids }) {
    for (const pid of new Set(server.flatMap((event) => event.pid ?? []))) {
      const stages = server.filter((event) => event.pid === pid && isStage(event)).map(({ what }) => what);
      const isInOrder = stages.every((what, index) => isInPlace(what, index));
      if (!isInOrder || (stages.length % 3 !== 0 && !killedPids.has(pid))) yield `${stages.join(', ')} in ${pid}`;
    }
  },
  'nothing runs in a process before setup there, nor after teardown': function* ({ episode, server }) {
    if (environmentOf(episode) === undefined) return;
    const phases = new Map<number, string>();
    for (const event of server) {
      const pid = event.pid ?? 0;
      if (BEGINS.has(event.what)) phases.set(pid, 'alive');
      else if (event.what === 'teardown') phases.set(pid, 'after teardown');
      else if (event.what === 'run' && phases.get(pid) !== 'alive')
        yield `${event.token} ran ${phases.get(pid) ?? 'before setup'} in ${pid}`;
    }
  },
  'nothing happens after a deletion was answered': function* ({ server, client }) {
    const deleted = client.find(({ what }) => what === 'deleted')?.at ?? Number.POSITIVE_INFINITY;
    for (const { what, at, pid } of server)
      if (at > deleted + CLOCK_MS) yield `${what} in ${pid}, ${at - deleted} ms after it`;
  },
  'an episode has one end in the log, with the sum of what its calls were told': function* (record) {
    const lines = endsOf(record);
    if (lines.length > 1) yield `it ended as ${lines.map(({ outcome }) => outcome).join(', ')}`;
    const deleted = record.client.find(({ what }) => what === 'deleted')?.at;
    // Its server may have ended it, and died before it could say so; then the next one says that it is gone.
    const tornDown = record.server.findLast(({ what }) => what === 'torn down')?.at ?? Number.POSITIVE_INFINITY;
    const mayBeLost = [...record.killed.values()].some(
      (at) => deleted !== undefined && at > Math.min(tornDown, deleted) - LOST_MS && at < deleted + LOST_MS,
    );
    if (lines.length === 0 && deleted !== undefined && !mayBeLost) yield 'it was deleted, and has no line';
    const [line] = lines;
    const rewards = rewardsOf(record);
    // What an episode was worth that was lost with its server, the next one does not know.
    if (line === undefined || line.lost === 'server_lost' || rewards === undefined) return;
    if ((line.reward ?? 0) !== rewards)
      yield `its reward is ${line.reward} in the log, and clients were told ${rewards}`;
  },
};

/** What is wrong with an episode that keeps nothing, if these are all its beginnings. */
export function* lostOnlyWithProcess(record: EpisodeRecord, begins: readonly ServerEvent[]): Generator<string> {
  if (environmentOf(record.episode) !== 'plain') return;
  if (begins.length > 1) yield `it was set up ${begins.length} times`;
  const [begin] = begins;
  const diedAt = begin && record.killedPids.get(begin.pid ?? 0);
  for (const { token, answer, at } of answersOf(record)) {
    // That a process has died may be noticed when an episode has been given to it.
    if (answer.kind === 'lost' && endsBetween(record, beginOf(record) - LOST_MS, at) === 0)
      yield `${token}, and nothing died`;
    const run = record.server.find((event) => event.what === 'run' && event.token === token);
    if (answer.kind === 'scored' && run !== undefined && diedAt !== undefined && run.pid !== begin?.pid)
      yield `${token} ran after its process had ended`;
  }
}

/** Where and when it was set up, or restored. */
export function beginsOf({ server }: EpisodeRecord): ServerEvent[] {
  return server.filter(({ what }) => BEGINS.has(what));
}

/** The same without those that no client was told of: one whose server dies before it answers asks the next one. */
function toldBeginsOf(record: EpisodeRecord): ServerEvent[] {
  const begins = beginsOf(record);
  const createdAt = record.client.find(({ what }) => what === 'created')?.at ?? Number.NEGATIVE_INFINITY;
  const told = begins.findLastIndex(({ at, life }, index) => {
    // The next server may answer just before it begins.
    const isOfNextServer = life !== begins[index - 1]?.life;
    return at <= createdAt + (isOfNextServer ? CLOCK_MS : 0);
  });
  return begins.slice(Math.max(told, 0));
}

/** Its ends in the log, without the loss of one that no client was told of: that may begin once more. */
export function endsOf({ log, client }: EpisodeRecord): Extract<LogEvent, { what: 'session ended' }>[] {
  const createdAt = client.find(({ what }) => what === 'created')?.at ?? Number.NEGATIVE_INFINITY;
  return log.flatMap((line) => {
    if (line.what !== 'session ended') return [];
    return line.lost === 'server_lost' && line.at < createdAt ? [] : [line];
  });
}

/** What the calls of an episode were told to be worth; undefined if one of them was told nothing. */
export function rewardsOf(record: EpisodeRecord): number | undefined {
  const told = new Map<string, number>();
  for (const { token, answer } of answersOf(record)) {
    if (answer.kind === 'lost' || answer.kind === 'unknown') return undefined;
    if (answer.kind === 'scored') told.set(token, answer.scored.reward ?? 0);
  }
  return [...told.values()].reduce((sum, each) => sum + each, 0);
}

function beginOf({ client, server }: EpisodeRecord): number {
  return Math.min(...[...client, ...server].map(({ at }) => at));
}

/** How often processes ended meanwhile. */
function endsBetween({ killed, killedPids, stops }: EpisodeRecord, from: number, to: number): number {
  const times = [...killed.values(), ...killedPids.values(), ...stops];
  return new Set(times.filter((at) => at >= from - CLOCK_MS && at <= to + CLOCK_MS)).size;
}

function isStage({ what }: ServerEvent): boolean {
  return BEGINS.has(what) || what === 'teardown' || what === 'torn down';
}

function isInPlace(what: string, index: number): boolean {
  if (index % 3 === 0) return BEGINS.has(what);
  return what === (index % 3 === 1 ? 'teardown' : 'torn down');
}
