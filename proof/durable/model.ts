import type { Answer, Scored } from '../chaos/events.ts';
import { RULES } from '../chaos/model.ts';
import { answersOf, type EpisodeRecord, type Rule } from '../chaos/record.ts';
import { END_RULES } from './end-rules.ts';
import { COUNTED, environmentOf } from './episode.ts';

const EXTERNAL: ReadonlySet<string> = new Set(['mail', 'Mail']);
const IDEMPOTENT: ReadonlySet<string> = new Set(['pay', 'Put']);

/** The name of a rule that clusters have in another form. */
export const RUNS_AS_NEXT = 'an idempotent call that was cut off runs again with the next attempt';

/** What must hold where processes of the server and of its workers are killed. The names are for reports. */
export const DURABLE_RULES: Readonly<Record<string, Rule>> = {
  'a call has one result: the same id gives the same, byte for byte, also after a kill': function* (record) {
    const first = new Map<string, Answer>();
    for (const { token, answer } of answersOf(record)) {
      // A session that is over, or lost, has no more results; and the id of what was refused over OXP is free again.
      if (answer.kind === 'unknown' || answer.kind === 'lost' || isOver(record, answer)) continue;
      if (answer.kind === 'refused' && environmentOf(record.episode) === undefined) continue;
      const before = first.get(token);
      if (before === undefined) first.set(token, answer);
      else if (!isSameAnswer(before, answer)) yield `${token} was ${toText(before)}, and then ${toText(answer)}`;
    }
  },
  'what a client is told is what a run of the tool returned': function* (record) {
    for (const { token, answer } of answersOf(record)) {
      if (answer.kind !== 'scored') continue;
      const isTrue = record.server.some(
        (event) => event.what === 'ran' && event.token === token && isSame(event.scored, answer.scored),
      );
      if (!isTrue) yield `${token} was told ${JSON.stringify(answer.scored)}, which no run has returned`;
    }
  },
  'an external tool runs at most once for each id': function* (record) {
    for (const [token, tool] of callsOf(record)) {
      const runs = attemptsOf(record, token);
      if (EXTERNAL.has(tool) && runs.length > 1) yield `${token} ran ${runs.length} times`;
    }
  },
  'only of an external call nobody knows whether it ran': function* (record) {
    for (const { token, answer } of answersOf(record))
      if (answer.kind === 'outcome_unknown' && !EXTERNAL.has(callsOf(record).get(token) ?? ''))
        yield `${token}: ${answer.why}`;
  },
  [RUNS_AS_NEXT]: function* (record) {
    for (const [token, attempts] of attemptsUntilEnd(record))
      if (attempts.some((attempt, index) => index > 0 && attempt <= (attempts[index - 1] ?? 0)))
        yield `${token} ran as attempt ${attempts.join(', ')}`;
  },
  'totals are right: each call that was told counts once, and nothing else does': function* (record) {
    const steps = stepsOf(record);
    // Of a call whose episode was lost meanwhile nobody can say whether it counted.
    let unsure = [...callsOf(record)].filter(
      ([token, tool]) => COUNTED.has(tool) && !steps.some((step) => step.token === token),
    ).length;
    let [count, sum] = [0, 0];
    for (const step of steps) {
      const missing = step.count - count - 1;
      if (missing < 0) yield `${step.token} is number ${step.count}, and so is another`;
      if (missing > unsure)
        yield `${step.token} is number ${step.count} after number ${count}: something counted twice`;
      if (missing === 0 && step.sum !== sum + step.adds)
        yield `${step.token} added ${step.adds} to ${sum} and made it ${step.sum}`;
      unsure -= Math.max(0, missing);
      ({ count, sum } = step);
    }
  },
  'nobody is told that there is no such session': function* (record) {
    for (const { token, answer } of answersOf(record))
      if (answer.kind === 'refused' && answer.why.startsWith('404') && !/unknown_tool/.test(answer.why))
        yield `${token}: ${answer.why}`;
  },
  ...END_RULES,
  ...pick(['a call that failed in its tool ran', 'nothing runs that no client sent, nor in another session']),
  ...pick(['no client meets a fault']),
};

/** Whether an answer says that an episode has ended with its server, of one that does. */
function isOver({ episode }: EpisodeRecord, answer: Answer): boolean {
  return environmentOf(episode) === 'plain' && answer.kind === 'refused' && answer.outcome === 'cancelled';
}

/** The tool of each call that was sent. */
function callsOf({ client }: EpisodeRecord): ReadonlyMap<string, string> {
  return new Map(client.flatMap((event) => (event.what === 'sent' ? [[event.token, event.tool]] : [])));
}

/** Which attempts the runs of each idempotent call were, until one of them ended: what runs after that is a replay. */
export function* attemptsUntilEnd(record: EpisodeRecord): Generator<readonly [token: string, attempts: number[]]> {
  for (const [token, tool] of callsOf(record)) {
    if (!IDEMPOTENT.has(tool)) continue;
    const end = record.server.findIndex((event) => event.what === 'ran' && event.token === token);
    yield [token, attemptsOf(record, token, end < 0 ? undefined : end)];
  }
}

/** Of all runs of a call, which attempts they were. */
function attemptsOf({ server }: EpisodeRecord, token: string, end = server.length): number[] {
  return server
    .slice(0, end)
    .flatMap((event) => (event.what === 'run' && event.token === token ? [event.attempt ?? 1] : []));
}

interface CountedStep {
  readonly token: string;
  readonly adds: number;
  readonly count: number;
  readonly sum: number;
}

/** The calls that counted, as their clients were told, in the order in which they did. */
function stepsOf(record: EpisodeRecord): CountedStep[] {
  const adds = new Map(
    record.client.flatMap((event) => (event.what === 'sent' ? [[event.token, event.adds ?? 0]] : [])),
  );
  const steps = new Map<string, CountedStep>();
  for (const { token, answer } of answersOf(record)) {
    const told = answer.kind === 'scored' ? /count (\d+) sum (\d+)/.exec(answer.scored.text) : null;
    if (told !== null)
      steps.set(token, { token, adds: adds.get(token) ?? 0, count: Number(told[1]), sum: Number(told[2]) });
  }
  return [...steps.values()].sort((a, b) => a.count - b.count);
}

function isSameAnswer(a: Answer, b: Answer): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind !== 'scored' || b.kind !== 'scored') return true;
  const isEqual = a.digest === undefined || b.digest === undefined || a.digest === b.digest;
  return isEqual && isSame(a.scored, b.scored);
}

function isSame(a: Scored | undefined, b: Scored): boolean {
  return a?.text === b.text && a.reward === b.reward && a.finished === b.finished;
}

function toText(answer: Answer): string {
  return answer.kind === 'scored' ? JSON.stringify(answer.scored) : answer.kind;
}

function pick(names: readonly string[]): Record<string, Rule> {
  return Object.fromEntries(names.map((name) => [name, RULES[name] as Rule]));
}
