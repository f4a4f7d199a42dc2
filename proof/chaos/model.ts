import type { Scored } from './events.ts';
import { LOG_RULES } from './log-rules.ts';
import { answersOf, type Chronicle, type Rule, runsOf, toRecords } from './record.ts';

/** Something that must never happen, and did. */
export interface Violation {
  readonly rule: string;
  readonly episode: string;
  readonly why: string;
}

// Episodes of toolkits have no session.
const OXP = /^oxp/;
// May overlap itself: it is allowed to, or it is left to itself when its time is up.
const OVERLAPPING = new Set(['shared', 'deaf']);
// Two processes on one machine read the same clock, but not at the same moment.
const CLOCK_MS = 50;

/** What must hold, whatever happens. The names are for reports. */
export const RULES: Readonly<Record<string, Rule>> = {
  'an id that a client chose runs at most once': function* ({ episode, server, client }) {
    const sent = client.flatMap((event) => (event.what === 'sent' ? [event.token] : []));
    // Somebody who sends an id again by hand, after the process that knew it, runs it in the next one; our client never does.
    const isByHand = (token: string) => OXP.test(episode) && sent.indexOf(token) !== sent.lastIndexOf(token);
    const seen = new Set<string>();
    for (const event of server) {
      if (event.what !== 'run') continue;
      const key = isByHand(event.token) ? `${event.token} in life ${event.life}` : event.token;
      if (seen.has(key)) yield `${key} ran again`;
      seen.add(key);
    }
  },
  'a call that returned ran, and its result is what the tool returned': function* (record) {
    for (const { token, answer } of answersOf(record)) {
      if (answer.kind !== 'scored') continue;
      const returned = record.server.flatMap((event) =>
        event.what === 'ran' && event.token === token && event.scored !== undefined ? [event.scored] : [],
      );
      if (!returned.some((scored) => isSame(scored, answer.scored)))
        yield `${token}: the client got ${JSON.stringify(answer.scored)}, the tool returned ${JSON.stringify(returned)}`;
    }
  },
  'a call that failed in its tool ran': function* (record) {
    for (const { token, answer } of answersOf(record))
      if (answer.kind === 'broke' && runsOf(record, token) === 0) yield `${token} did not run`;
  },
  'a refused call did not run': function* (record) {
    for (const { token, answer } of answersOf(record))
      if (answer.kind === 'refused' && runsOf(record, token) > 0) yield `${token} ran, and was refused: ${answer.why}`;
  },
  'nothing runs that no client sent, nor in another session': function* ({ server, client }) {
    const sent = new Set(client.flatMap((event) => (event.what === 'sent' ? [`${event.token} ${event.tool}`] : [])));
    for (const event of server)
      if (event.what === 'run' && !sent.has(`${event.token} ${event.tool}`)) yield `${event.token} ran ${event.tool}`;
  },
  'calls of one connection run in the order they were sent': function* ({ server, client }) {
    const sent = client.filter((event) => event.what === 'sent');
    for (const batch of new Set(sent.flatMap((event) => event.batch ?? []))) {
      const wanted = sent.filter((event) => event.batch === batch).map(({ token }) => token);
      const ran = server.filter((event) => event.what === 'run').map(({ token }) => token);
      const order = ran.filter((token) => wanted.includes(token));
      if (order.join() !== wanted.filter((token) => order.includes(token)).join()) yield `${wanted} ran as ${order}`;
    }
  },
  'a tool of an episode runs one call at a time': function* ({ episode, server }) {
    if (OXP.test(episode)) return;
    const running = new Map<string, string>();
    for (const event of server) {
      if ((event.what !== 'run' && event.what !== 'ran') || OVERLAPPING.has(event.tool)) continue;
      const key = `${event.tool} in life ${event.life}`;
      const other = running.get(key);
      if (event.what === 'ran') running.delete(key);
      else if (other !== undefined) yield `${event.token} began while ${other} ran`;
      else running.set(key, event.token);
    }
  },
  'nothing runs after a finished step': function* ({ server }) {
    let finished: string | undefined;
    for (const event of server) {
      if (event.what === 'run' && finished !== undefined) yield `${event.token} ran after ${finished} had finished`;
      if (event.what === 'ran' && event.scored?.finished) finished ??= event.token;
    }
  },
  'nothing runs after teardown, nor before setup': function* ({ episode, server }) {
    if (OXP.test(episode)) return;
    let phase = 'before setup';
    for (const event of server) {
      if (event.what === 'setup') phase = 'alive';
      else if (event.what === 'teardown') phase = 'after teardown';
      else if (event.what === 'run' && phase !== 'alive') yield `${event.token} ran ${phase}`;
    }
  },
  // A creation whose answer was lost may be repeated so late that the first one has expired: then there are two, in turn.
  'every setup has exactly one teardown, unless the server is killed before': function* ({ server, killed }) {
    const STAGES = ['setup', 'teardown', 'torn down'];
    for (const life of new Set(server.map((event) => event.life))) {
      const events = server.filter((event) => event.life === life && STAGES.includes(event.what));
      const isInOrder = events.every(({ what }, index) => what === STAGES[index % STAGES.length]);
      if (!isInOrder || (events.length % STAGES.length !== 0 && !killed.has(life)))
        yield `${events.map(({ what }) => what).join(', ')} in life ${life}`;
    }
  },
  'a created episode was set up, and one that was refused was not': function* ({ server, client }) {
    const isSetUp = server.some(({ what }) => what === 'setup');
    if (isSetUp && client.some(({ what }) => what === 'not created')) yield 'it was set up and refused';
    if (!isSetUp && client.some(({ what }) => what === 'created')) yield 'it was created and not set up';
  },
  'a deletion is answered after teardown': function* ({ server, client }) {
    const end = server.find(({ what }) => what === 'torn down')?.at ?? Number.POSITIVE_INFINITY;
    for (const { what, at } of client) if (what === 'deleted' && at + CLOCK_MS < end) yield `${end - at} ms before it`;
  },
  'no client meets a fault': function* ({ client }) {
    for (const event of client) if (event.what === 'fault') yield event.why;
  },
  ...LOG_RULES,
};

/** Holds every event against every rule. */
export function check(chronicle: Chronicle, rules: Readonly<Record<string, Rule>> = RULES): Violation[] {
  return toRecords(chronicle).flatMap((record) =>
    Object.entries(rules).flatMap(([rule, find]) =>
      [...find(record)].map((why) => ({ rule, episode: record.episode, why })),
    ),
  );
}

/** Everything that happened in one episode, a line for each event, in time. */
export function historyOf({ server, client, log }: Chronicle, episode: string): string {
  const mine = [
    ...server.filter((event) => event.episode === episode).map((event) => ({ side: 'server', ...event })),
    ...client.filter((event) => event.episode === episode).map((event) => ({ side: 'client', ...event })),
    ...log.filter((event) => event.episode === episode).map((event) => ({ side: 'log   ', ...event })),
  ].sort((a, b) => a.at - b.at);
  const begun = mine[0]?.at ?? 0;
  return mine
    .map(({ at, side, what, episode: _, ...rest }) => `${at - begun} ms  ${side}  ${what}  ${JSON.stringify(rest)}`)
    .join('\n');
}

function isSame(a: Scored, b: Scored): boolean {
  return a.text === b.text && a.reward === b.reward && a.finished === b.finished;
}
